package io.kmirror;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The source side of a lane: what was polled, what of it has been handed out, where a partition ends.
 * It moves each partition's {@code next}; what is committed is the {@link Lane}'s business.
 */
final class Intake implements AutoCloseable {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<TopicPartition, SourcePartition> partitions;
  private final Consumer<SourcePartition> moved;
  private final Consumer<SourcePartition> parked;

  private ConsumerRecords<byte[], byte[]> polled = ConsumerRecords.empty();
  private Iterator<TopicPartition> polledPartitions = Collections.emptyIterator();
  private Iterator<ConsumerRecord<byte[], byte[]>> records = Collections.emptyIterator();
  private SourcePartition current;

  /**
   * @param partitions the lane's, which changes them; {@link #restart} takes note
   * @param moved told of every partition whose next offset has changed
   * @param parked told of every partition that will not go on
   */
  Intake(
      Settings settings,
      Map<TopicPartition, SourcePartition> partitions,
      Consumer<SourcePartition> moved,
      Consumer<SourcePartition> parked) {
    this.partitions = partitions;
    this.moved = moved;
    this.parked = parked;
    this.consumer =
        new KafkaConsumer<>(
            new HashMap<>(settings.consumer()), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  /** Forgets what was polled and goes on from every partition's next offset. */
  void restart() {
    polled = ConsumerRecords.empty();
    polledPartitions = Collections.emptyIterator();
    records = Collections.emptyIterator();
    current = null;
    reassign();
    consumer.assignment().forEach(tp -> consumer.seek(tp, partitions.get(tp).next));
  }

  private void reassign() {
    Set<TopicPartition> active = new HashSet<>();
    partitions.forEach(
        (tp, partition) -> {
          if (!partition.ended()) {
            active.add(tp);
          }
        });
    consumer.assign(active);
  }

  /** The partition of the record handed out last. */
  SourcePartition current() {
    return current;
  }

  /** Hands out the next record already polled, or null when there is none. */
  ConsumerRecord<byte[], byte[]> next() {
    while (true) {
      while (records.hasNext()) {
        ConsumerRecord<byte[], byte[]> record = records.next();
        if (record.offset() >= current.until) {
          break;
        }
        current.read(record);
        moved.accept(current);
        return record;
      }
      if (!polledPartitions.hasNext()) {
        return null;
      }
      TopicPartition tp = polledPartitions.next();
      current = partitions.get(tp);
      records = polled.records(tp).iterator();
    }
  }

  /** Everything polled has been handed out: steps over what carried no records, then asks for more. */
  void poll(long timeoutMs) {
    stepOver();
    endFinished();
    polled = ConsumerRecords.empty();
    if (consumer.assignment().isEmpty()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(timeoutMs));
      return;
    }
    try {
      polled = consumer.poll(Duration.ofMillis(timeoutMs));
    } catch (OffsetOutOfRangeException e) {
      e.offsetOutOfRangePartitions().forEach((tp, offset) -> park(
              partitions.get(tp), "data_gap", "the source has no offset " + offset + " any more"));
      reassign();
    } catch (TopicAuthorizationException e) {
      parkTopics(e);
    }
    polledPartitions = polled.partitions().iterator();
    if (polled.isEmpty()) {
      stepOver();
    }
  }

  private void parkTopics(TopicAuthorizationException e) {
    partitions.values().stream()
        .filter(p -> e.unauthorizedTopics().contains(p.source.topic()))
        .forEach(p -> park(p, "not_authorized", "source: " + e.getMessage()));
    reassign();
  }

  void park(SourcePartition partition, String kind, String message) {
    partition.park(new SourcePartition.Parking(kind, partition.source + ": " + message));
    parked.accept(partition);
  }

  /** Markers, aborted and compacted records move the position without being records. */
  private void stepOver() {
    for (Map.Entry<TopicPartition, OffsetAndMetadata> entry : polled.nextOffsets().entrySet()) {
      SourcePartition partition = partitions.get(entry.getKey());
      long offset = Math.min(entry.getValue().offset(), partition.until);
      if (offset > partition.next) {
        partition.next = offset;
        moved.accept(partition);
      }
    }
  }

  /** Partitions that reached the offset where they have to stop leave the consumer. */
  private void endFinished() {
    boolean ended = false;
    for (TopicPartition tp : consumer.assignment()) {
      SourcePartition partition = partitions.get(tp);
      if (partition.next >= partition.until) {
        ended = true;
        if (partition.parkingAhead != null) {
          partition.park(partition.parkingAhead);
          parked.accept(partition);
        }
      }
    }
    if (ended) {
      reassign();
    }
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
