package org.apache.kafka.clients.producer.internals;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.utils.Time;

/**
 * Puts ready-made record batches into a {@code KafkaProducer}'s queues, between the records that it is
 * sent. From there on they are batches like any other: sequences, retries, epochs, leaders, transactions,
 * coordinators, throttling and security are the producer's own.
 *
 * <p>The producer offers no such entrance, so this is the one place that reaches into its private parts,
 * of exactly the version that {@code ivy.xml} names; another one fails here, when the class is loaded.
 */
public final class BatchAppender {
  private static final VarHandle ACCUMULATOR =
      field(KafkaProducer.class, "accumulator", RecordAccumulator.class);
  private static final VarHandle METADATA =
      field(KafkaProducer.class, "metadata", ProducerMetadata.class);
  private static final VarHandle SENDER = field(KafkaProducer.class, "sender", Sender.class);
  private static final VarHandle TRANSACTIONS =
      field(KafkaProducer.class, "transactionManager", TransactionManager.class);
  private static final VarHandle METRICS = field(KafkaProducer.class, "metrics", Metrics.class);
  private static final VarHandle INCOMPLETE =
      field(RecordAccumulator.class, "incomplete", IncompleteBatches.class);
  private static final MethodHandle QUEUE = queue();
  private static final Field MEMORY = memory();

  private final RecordAccumulator accumulator;
  private final ProducerMetadata metadata;
  private final Sender sender;
  private final TransactionManager transactions;
  private final BatchMemory memory;
  private final IncompleteBatches incomplete;
  private final long blockMsMax;

  /**
   * @param producer whose queues; nothing was sent with it yet
   * @param blockMsMax how long {@link #allocate} may wait, as {@code max.block.ms}
   */
  public BatchAppender(KafkaProducer<?, ?> producer, long blockMsMax) {
    accumulator = (RecordAccumulator) ACCUMULATOR.get(producer);
    metadata = (ProducerMetadata) METADATA.get(producer);
    sender = (Sender) SENDER.get(producer);
    transactions = (TransactionManager) TRANSACTIONS.get(producer);
    memory = memoryOf(accumulator, (Metrics) METRICS.get(producer));
    incomplete = incompleteOf(producer);
    this.blockMsMax = blockMsMax;
  }

  /** What a producer was given and is not done with; {@link EndlessSplits} looks at it, too. */
  static IncompleteBatches incompleteOf(KafkaProducer<?, ?> producer) {
    return (IncompleteBatches) INCOMPLETE.get((RecordAccumulator) ACCUMULATOR.get(producer));
  }

  /**
   * Has the producer ask for everything that it does not know of *topics*, in one request and without
   * waiting. Sends wait for the topic they are for: each for a round trip of its own, were it not for this.
   */
  public void expect(Collection<String> topics) {
    long nowMs = System.currentTimeMillis();
    topics.forEach(topic -> metadata.add(topic, nowMs));
    if (metadata.updateRequested()) {
      sender.wakeup();
    }
  }

  /** Gives the producer memory that is good for whole batches. */
  private static BatchMemory memoryOf(RecordAccumulator accumulator, Metrics metrics) {
    try {
      BatchMemory memory = new BatchMemory((BufferPool) MEMORY.get(accumulator), metrics, Time.SYSTEM);
      MEMORY.set(accumulator, memory);
      return memory;
    } catch (IllegalAccessException e) {
      throw new KafkaException("the producer keeps its memory", e);
    }
  }

  /**
   * Takes memory for a batch out of the producer's buffer; it goes back when the batch is done.
   *
   * @return all of its memory; the limit is the size
   * @throws KafkaException the buffer stayed full
   */
  public ByteBuffer allocate(int sizeBytes) {
    try {
      return memory.allocateWhole(sizeBytes, blockMsMax);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  /**
   * Queues a batch behind everything that was sent to *partition* before.
   *
   * @param partition on the target; its topic is known to the producer already
   * @param batch in memory of {@link #allocate}; takes one record, which stands for all of them
   * @param records how many sequence numbers it needs
   * @param callback told of the offset of its first record, or why it was refused
   * @return done when it is acknowledged or refused
   */
  public Future<RecordMetadata> append(
      TopicPartition partition, MemoryRecordsBuilder batch, int records, Callback callback) {
    long nowMs = System.currentTimeMillis();
    ProducerBatch queued = new ProducerBatch(partition, batch, nowMs);
    Future<RecordMetadata> acknowledged = queued.tryAppend(nowMs, null, null, null, callback, nowMs);
    queued.recordCount = records;
    Deque<ProducerBatch> queue = queueOf(partition);
    synchronized (queue) {
      ProducerBatch last = queue.peekLast();
      if (last != null && last.isWritable()) {
        last.closeForRecordAppends();
      }
      queue.addLast(queued);
      incomplete.add(queued);
    }
    if (transactions != null) {
      transactions.maybeAddPartition(partition);
    }
    sender.wakeup();
    return acknowledged;
  }

  /**
   * Has what was sent to *partitions* go out now, without waiting for {@code linger.ms}, and without
   * waiting for answers as a flush does.
   */
  public void release(Iterable<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      Deque<ProducerBatch> queue = queueOf(partition);
      synchronized (queue) {
        ProducerBatch last = queue.peekLast();
        if (last != null && last.isWritable()) {
          last.closeForRecordAppends(); // a batch that takes no more is ready
        }
      }
    }
    sender.wakeup();
  }

  /** The leader epoch of a partition on the target, as the producer knows it; null when it does not. */
  public Integer leaderEpoch(TopicPartition partition) {
    return metadata.currentLeader(partition).epoch.orElse(null);
  }

  @SuppressWarnings("unchecked") // it is what the method says it gives
  private Deque<ProducerBatch> queueOf(TopicPartition partition) {
    try {
      return (Deque<ProducerBatch>) QUEUE.invoke(accumulator, partition);
    } catch (Throwable e) {
      throw new KafkaException("no queue for " + partition, e);
    }
  }

  private static VarHandle field(Class<?> owner, String name, Class<?> type) {
    try {
      return MethodHandles.privateLookupIn(owner, MethodHandles.lookup()).findVarHandle(owner, name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** It is final: no handle would write it. */
  private static Field memory() {
    try {
      Field field = RecordAccumulator.class.getDeclaredField("free");
      field.setAccessible(true);
      return field;
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static MethodHandle queue() {
    try {
      return MethodHandles.privateLookupIn(RecordAccumulator.class, MethodHandles.lookup())
          .findVirtual(
              RecordAccumulator.class,
              "getOrCreateDeque",
              MethodType.methodType(Deque.class, TopicPartition.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
