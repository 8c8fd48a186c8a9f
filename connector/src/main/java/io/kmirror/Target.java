package io.kmirror;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The target cluster as a lane sees it: records and positions go in together, or, with exactly once
 * switched off, the positions right after the records were acknowledged.
 */
final class Target implements AutoCloseable {
  private static final long ADMIN_TIMEOUT_S = 60;

  private final Settings settings;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Admin admin;
  private boolean inTransaction;

  /** Opens the producer and, in doing so, ends whatever a previous owner of this slot left open. */
  Target(Settings settings, int slot) {
    this.settings = settings;
    Map<String, Object> properties = new HashMap<>(settings.producer());
    if (settings.exactlyOnce()) {
      properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, settings.transactionalId() + slot);
    }
    producer = new KafkaProducer<>(properties, new ByteArraySerializer(), new ByteArraySerializer());
    admin = Admin.create(new HashMap<>(settings.admin()));
    try {
      if (settings.exactlyOnce()) {
        producer.initTransactions();
      }
      checkOwner();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Fence first, read second: a driver that lost the flow while it was fencing finds out here.
   *
   * @throws FencedException when another generation owns the flow
   */
  void checkOwner() {
    TopicPartition owner = new TopicPartition(settings.ownerTopic(), 0);
    OffsetAndMetadata entry = positions(List.of(owner)).get(owner);
    if (entry == null || entry.offset() != settings.generation()) {
      String newer = entry == null ? "{}" : entry.metadata();
      Plugin.fault(settings, "fenced", newer);
      throw new FencedException(newer);
    }
  }

  /** Stable positions: an answer never lies inside somebody's open transaction. */
  Map<TopicPartition, OffsetAndMetadata> positions(Collection<TopicPartition> partitions) {
    var spec = new ListConsumerGroupOffsetsSpec().topicPartitions(partitions);
    var options = new ListConsumerGroupOffsetsOptions().requireStable(true);
    return await(
        admin
            .listConsumerGroupOffsets(Map.of(settings.group(), spec), options)
            .partitionsToOffsetAndMetadata());
  }

  void send(ProducerRecord<byte[], byte[]> record, Callback callback) {
    begin();
    producer.send(record, callback);
  }

  private void begin() {
    if (settings.exactlyOnce() && !inTransaction) {
      producer.beginTransaction();
      inTransaction = true;
    }
  }

  /** Waits for every acknowledgement; what failed is told to the callbacks. */
  void flush() {
    producer.flush();
  }

  @SuppressWarnings("removal") // there is no other way to name a group that has no members
  void commit(Map<TopicPartition, OffsetAndMetadata> positions) {
    if (!settings.exactlyOnce()) {
      await(admin.alterConsumerGroupOffsets(settings.group(), positions).all());
      return;
    }
    begin();
    producer.sendOffsetsToTransaction(positions, new ConsumerGroupMetadata(settings.group()));
    producer.commitTransaction();
    inTransaction = false;
  }

  void abort() {
    if (inTransaction) {
      producer.abortTransaction();
      inTransaction = false;
    }
  }

  private static <T> T await(KafkaFuture<T> future) {
    try {
      return future.get(ADMIN_TIMEOUT_S, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new KafkaException(e.getCause());
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException(e);
    }
  }

  /** At once: an open transaction is aborted by whoever opens the slot next. */
  @Override
  public void close() {
    producer.close(Duration.ZERO);
    admin.close(Duration.ZERO);
  }
}
