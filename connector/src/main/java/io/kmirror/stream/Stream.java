package io.kmirror.stream;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * One stream of a MirrorMaker 1: a member of the group on the source, and a producer. It outlives Spark's
 * batches, like a lane, so that the end of one is no rebalance.
 *
 * <p>The rule of lanes holds here, too: when the reader asks for the next record, every earlier one has been
 * sent. So what {@link #next} flushes and commits, and what a rebalance within it does, covers all of them.
 */
public final class Stream {
  private final StreamSettings settings;
  private final int index;
  private final StreamNews news;
  private final BooleanSupplier stops;
  private final StreamProducer producer;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final StreamOffsets offsets;
  private final long intervalNanos;
  private final long retryNanos;
  private long dueNanos;
  private boolean closes;
  private ConsumerRecords<byte[], byte[]> fetched = ConsumerRecords.empty();
  private Iterator<TopicPartition> partitions = Collections.emptyIterator();
  private Iterator<ConsumerRecord<byte[], byte[]>> records = Collections.emptyIterator();
  private TopicPartition partition;
  private ConsumerRecord<byte[], byte[]> record;

  /**
   * @param index which of the mirror's streams
   * @param news is told what happens
   * @param stops whether it has to end
   */
  Stream(StreamSettings settings, int index, StreamNews news, BooleanSupplier stops) {
    this.settings = settings;
    this.index = index;
    this.news = news;
    this.stops = stops;
    this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(settings.commitIntervalMs());
    this.retryNanos = TimeUnit.MILLISECONDS.toNanos(settings.commitRetryMs());
    this.dueNanos = System.nanoTime() + intervalNanos;
    this.producer = new StreamProducer(settings, news);
    try {
      this.consumer = new KafkaConsumer<>(consumerProperties());
    } catch (RuntimeException e) {
      producer.close();
      throw e;
    }
    this.offsets = new StreamOffsets(index, consumer, news);
    consumer.subscribe(Pattern.compile(settings.topics()), new Rebalances());
  }

  private Map<String, Object> consumerProperties() {
    Map<String, Object> properties = new HashMap<>(settings.consumer());
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.CLIENT_ID_CONFIG, settings.group() + "-" + index);
    return properties;
  }

  int index() {
    return index;
  }

  /** What was moved to last. */
  public ConsumerRecord<byte[], byte[]> record() {
    return record;
  }

  /**
   * Moves to the next record.
   *
   * @return false when the time is over, or the stream has to end
   */
  boolean next(long deadlineNanos) {
    while (true) {
      producer.check();
      long now = System.nanoTime();
      if (now >= dueNanos) {
        commit(null);
      }
      if (stops.getAsBoolean()) {
        return false;
      }
      if (advance()) {
        return true;
      }
      if (now >= deadlineNanos) {
        return false;
      }
      long leftMs = TimeUnit.NANOSECONDS.toMillis(Math.min(deadlineNanos, dueNanos) - now) + 1;
      fetched = consumer.poll(Duration.ofMillis(Math.max(0, Math.min(leftMs, settings.pollMs()))));
      partitions = fetched.partitions().iterator();
    }
  }

  private boolean advance() {
    while (!records.hasNext()) {
      if (!partitions.hasNext()) {
        return false;
      }
      partition = partitions.next();
      records = fetched.records(partition).iterator();
    }
    record = records.next();
    offsets.moved(partition, record);
    return true;
  }

  /** Sends a record; from the task's thread, as everything else. */
  void send(ProducerRecord<byte[], byte[]> toSend) {
    producer.send(toSend);
  }

  /** See {@link StreamProducer#blocked}. */
  StreamProducer.Blocked blocked() {
    return producer.blocked();
  }

  /** See {@link StreamProducer#watch}. */
  void watch() {
    producer.watch();
  }

  /** See {@link StreamProducer#abandon}. */
  void abandon() {
    producer.abandon();
  }

  /** Has everything acknowledged, then tells the group; after a failure nobody is told. */
  private void commit(Duration timeout) {
    producer.flush();
    boolean committed = !producer.hasFailed() && offsets.commit(timeout);
    dueNanos = System.nanoTime() + (committed ? intervalNanos : Math.min(intervalNanos, retryNanos));
  }

  /** Ends it in good order: what was handed out is acknowledged and committed. */
  void end() {
    try {
      commit(Duration.ofMillis(settings.endMs()));
      producer.check();
    } finally {
      close();
    }
  }

  /** Ends it as it is: what it has read since its last commit will be read again. */
  void close() {
    closes = true;
    try {
      consumer.close(CloseOptions.timeout(Duration.ofMillis(settings.endMs())));
    } finally {
      producer.close();
    }
  }

  /** They happen within {@link #next}, when everything that was read has been sent. */
  private final class Rebalances implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
      if (!revoked.isEmpty() && !closes) {
        commit(null);
        offsets.forget(revoked);
        news.moved(index, StreamNews.Kind.REVOKED, revoked);
      }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> lost) {
      if (!lost.isEmpty()) {
        offsets.forget(lost);
        news.moved(index, StreamNews.Kind.LOST, lost);
      }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
      if (!assigned.isEmpty()) {
        news.moved(index, StreamNews.Kind.ASSIGNED, assigned);
      }
    }
  }
}
