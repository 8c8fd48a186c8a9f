package io.kmirror;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.spark.sql.catalyst.InternalRow;

/**
 * One slot's way from the source to the target: a consumer, a {@link Target} and the positions between.
 * It is used by one task at a time and outlives the batch, so that the seam between two batches costs
 * no new clients.
 *
 * <p>The order that makes it exact: the target is opened (which fences), then positions are read, then
 * the consumer seeks. When the reader asks for the next record, every earlier one has been through the
 * projection and the sink; so a commit made before handing out a record covers all earlier ones, those
 * that a filter dropped included.
 */
final class Lane implements AutoCloseable {
  /** Looking at the clock for each record would cost as much as the record. */
  private static final int RECORDS_BETWEEN_CLOCK_LOOKS = 32;

  /** An idle lane looks this often whether it is told to yield. */
  private static final long IDLE_POLL_MS = 50;

  /** Group offsets expire after offsets.retention.minutes without a commit: refresh them long before. */
  private static final long POSITION_REFRESH_NANOS = TimeUnit.HOURS.toNanos(1);

  /** More in a row and the flow starts again from scratch. */
  private static final int RECOVERIES_MAX = 5;

  final Settings settings;
  final int slot;
  private final Failures failures = new Failures();
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Map<TopicPartition, SourcePartition> partitions = new HashMap<>();
  private final Map<TopicPartition, SourcePartition> byTarget = new HashMap<>();
  private final List<SourcePartition> moved = new ArrayList<>();
  private final RecordRow row = new RecordRow();
  private final Progress progress;
  private Target target;
  private long version;
  private long epoch = -1;
  private boolean bounded;

  private ConsumerRecords<byte[], byte[]> polled = ConsumerRecords.empty();
  private Iterator<TopicPartition> polledPartitions = polled.partitions().iterator();
  private Iterator<ConsumerRecord<byte[], byte[]>> records = List.<ConsumerRecord<byte[], byte[]>>of().iterator();
  private SourcePartition current;
  private long currentOffset;

  private int untilClockLook;
  private long openSinceNanos;
  private long openBytes;
  private boolean open;
  private long lastRefreshNanos = System.nanoTime();
  private int recoveries;

  Lane(Slot slot) {
    this.settings = slot.settings();
    this.slot = slot.index();
    this.progress = new Progress(settings.flow(), slot.index(), settings.generation());
    this.target = new Target(settings, slot.index());
    this.consumer =
        new KafkaConsumer<>(
            new HashMap<>(settings.consumer()), new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  Progress progress() {
    return progress;
  }

  /** Whether the lane may go on with *slot*: same generation, and nobody else ran the slot in between. */
  boolean continues(Slot next) {
    return settings.generation() == next.settings().generation() && next.epoch() <= epoch + 1;
  }

  /** Takes over the slot's partitions for one batch: keeps what it has, reads positions for the rest. */
  void assign(Slot next) {
    epoch = next.epoch();
    version = next.version();
    Map<TopicPartition, Share> wanted = new HashMap<>();
    next.shares().forEach(s -> wanted.put(new TopicPartition(s.topic(), s.partition()), s));
    bounded = next.shares().stream().anyMatch(s -> s.until() != Long.MAX_VALUE);
    partitions.entrySet().removeIf(e -> !keeps(e.getValue(), wanted.get(e.getKey())));
    List<SourcePartition> added = new ArrayList<>();
    wanted.forEach((tp, share) -> {
      if (!partitions.containsKey(tp)) {
        SourcePartition partition = new SourcePartition(share, failures);
        partitions.put(tp, partition);
        added.add(partition);
      }
    });
    byTarget.clear();
    partitions.values().forEach(p -> byTarget.put(p.target, p));
    restart(added);
    progress.replace(partitions.values());
  }

  private static boolean keeps(SourcePartition partition, Share share) {
    return share != null
        && partition.parking == null
        && partition.parkingAhead == null
        && partition.until == share.until()
        && partition.topicId.equals(share.topicId())
        && partition.target.topic().equals(share.target());
  }

  /** Reads the positions of *those* from the target and points the consumer at every partition's next. */
  private void restart(Collection<SourcePartition> those) {
    if (!those.isEmpty()) {
      Map<TopicPartition, OffsetAndMetadata> found =
          target.positions(those.stream().map(p -> p.target).toList());
      for (SourcePartition partition : those) {
        OffsetAndMetadata position = found.get(partition.target);
        if (position == null) {
          park(partition, "position_missing", "no position in group " + settings.group());
        } else {
          partition.startAt(position.offset());
          partition.acknowledgedBefore(Progress.nextTargetOffset(position.metadata()));
        }
      }
    }
    reassign();
    polled = ConsumerRecords.empty();
    polledPartitions = polled.partitions().iterator();
    records = List.<ConsumerRecord<byte[], byte[]>>of().iterator();
    current = null;
    moved.forEach(p -> p.moved = false);
    moved.clear();
    open = false;
    openBytes = 0;
    for (TopicPartition tp : consumer.assignment()) {
      consumer.seek(tp, partitions.get(tp).next);
    }
  }

  private void reassign() {
    Set<TopicPartition> active = new HashSet<>();
    partitions.forEach((tp, partition) -> {
      if (!partition.ended()) {
        active.add(tp);
      }
    });
    consumer.assign(active);
  }

  InternalRow row() {
    return row;
  }

  /**
   * Moves to the next record.
   *
   * @return false when the time is over, a new plan waits, or a bounded copy is complete
   */
  boolean next(long deadlineNanos) {
    while (true) {
      if (failures.any()) {
        recover(null);
      }
      if (--untilClockLook < 0) {
        untilClockLook = RECORDS_BETWEEN_CLOCK_LOOKS;
        commitIfDue();
      }
      ConsumerRecord<byte[], byte[]> record = buffered();
      if (record != null) {
        row.at(current.topic, record);
        return true;
      }
      untilClockLook = 0;
      if (Lanes.mustYield(this, version)) {
        return false;
      }
      if (bounded && complete()) {
        commit();
        if (complete() && !failures.any()) {
          return false;
        }
        continue; // what was refused is set aside, and the rest copied again
      }
      long now = System.nanoTime();
      if (now >= deadlineNanos) {
        return false;
      }
      poll(Math.min(TimeUnit.NANOSECONDS.toMillis(deadlineNanos - now) + 1, pollMs(now)));
    }
  }

  private long pollMs(long now) {
    if (!open) {
      return IDLE_POLL_MS;
    }
    long left = settings.commitIntervalMs() - TimeUnit.NANOSECONDS.toMillis(now - openSinceNanos);
    return Math.max(0, Math.min(left, IDLE_POLL_MS));
  }

  private boolean complete() {
    return partitions.values().stream().allMatch(SourcePartition::ended);
  }

  private ConsumerRecord<byte[], byte[]> buffered() {
    while (true) {
      while (records.hasNext()) {
        ConsumerRecord<byte[], byte[]> record = records.next();
        if (record.offset() >= current.until) {
          break;
        }
        advance(record);
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

  private void advance(ConsumerRecord<byte[], byte[]> record) {
    currentOffset = record.offset();
    current.next = currentOffset + 1;
    current.leaderEpoch = record.leaderEpoch().orElse(null);
    int size = Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
    current.records++;
    current.bytes += size;
    openBytes += size;
    moved(current);
  }

  private void moved(SourcePartition partition) {
    if (!partition.moved) {
      partition.moved = true;
      moved.add(partition);
    }

    if (!open) {
      open = true;
      openSinceNanos = System.nanoTime();
    }
  }

  /** Everything polled has been handed out: step over what carried no records, then ask for more. */
  private void poll(long timeoutMs) {
    polled.nextOffsets().forEach(this::stepTo);
    endParkedPartitions();
    polled = ConsumerRecords.empty();
    if (consumer.assignment().isEmpty()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(timeoutMs));
    } else {
      try {
        polled = consumer.poll(Duration.ofMillis(timeoutMs));
      } catch (OffsetOutOfRangeException e) {
        e.offsetOutOfRangePartitions().forEach((tp, offset) -> parkGap(partitions.get(tp), offset));
        reassign();
      } catch (TopicAuthorizationException e) {
        parkTopics(e.unauthorizedTopics(), "source: " + e.getMessage());
      }
    }
    polledPartitions = polled.partitions().iterator();
    if (polled.isEmpty()) {
      polled.nextOffsets().forEach(this::stepTo);
    }
  }

  /** Markers, aborted and compacted records move the position without being records. */
  private void stepTo(TopicPartition tp, OffsetAndMetadata position) {
    SourcePartition partition = partitions.get(tp);
    long offset = Math.min(position.offset(), partition.until);
    if (offset > partition.next) {
      partition.next = offset;
      moved(partition);
    }
  }

  /** Partitions that reached the offset where they have to stop leave the consumer. */
  private void endParkedPartitions() {
    boolean ended = false;
    for (TopicPartition tp : consumer.assignment()) {
      SourcePartition partition = partitions.get(tp);
      if (partition.next >= partition.until) {
        ended = true;
        if (partition.parkingAhead != null) {
          partition.parking = partition.parkingAhead;
          progress.changed(partition);
        }
      }
    }
    if (ended) {
      reassign();
    }
  }

  private void parkGap(SourcePartition partition, long offset) {
    park(partition, "data_gap", partition.source + " has no offset " + offset + " any more");
  }

  private void parkTopics(Set<String> topics, String why) {
    partitions.values().stream()
        .filter(p -> topics.contains(p.source.topic()) || topics.contains(p.target.topic()))
        .forEach(p -> park(p, "not_authorized", why));
    reassign();
  }

  private void park(SourcePartition partition, String kind, String message) {
    partition.parking = new SourcePartition.Parking(kind, message);
    progress.changed(partition);
  }

  /** Sends one row; called between two calls of {@link #next}. */
  void send(
      String topic, int partition, Long timestamp, byte[] key, byte[] value, Headers headers) {
    if (failures.any()) {
      return; // the transaction is lost already; next() goes back to the committed positions
    }
    var record = new ProducerRecord<>(topic, partition, timestamp, key, value, headers);
    try {
      target.send(record, current.callback(currentOffset));
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      failures.add(new Failures.Failure(current, currentOffset, e, false));
    }
  }

  private void commitIfDue() {
    long now = System.nanoTime();
    if (open) {
      boolean due = now - openSinceNanos >= TimeUnit.MILLISECONDS.toNanos(settings.commitIntervalMs());
      if (due || openBytes >= settings.commitBytesMax()) {
        commit();
      }
    } else if (now - lastRefreshNanos > POSITION_REFRESH_NANOS) {
      lastRefreshNanos = now;
      partitions.values().stream()
          .filter(p -> p.parking == null && now - p.committedNanos > POSITION_REFRESH_NANOS)
          .forEach(this::moved);
      commit();
    }
  }

  /** The batch ends here: what was handed out is committed when this returns, or will be read again. */
  void finish() {
    commit();
    if (failures.any()) {
      recover(null);
    }
  }

  private void commit() {
    if (moved.isEmpty()) {
      open = false;
      return;
    }
    try {
      target.flush();
      if (failures.any()) {
        return; // next() recovers
      }
      Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
      moved.forEach(p -> positions.put(p.target, p.position()));
      target.commit(positions);
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      recover(e);
      return;
    }
    for (SourcePartition partition : moved) {
      partition.committedNow();
      progress.changed(partition);
    }
    progress.committed();
    moved.clear();
    open = false;
    openBytes = 0;
    recoveries = 0;
  }

  /**
   * Back to what is committed, after a failure. An answer that never came leaves the transaction's fate
   * open: then a new producer is made, which ends the old one's transaction, and positions are read.
   */
  private void recover(KafkaException indefinite) {
    List<Failures.Failure> failed = failures.take();
    Exception cause = indefinite != null || failed.isEmpty() ? indefinite : failed.get(0).cause();
    progress.failed(String.valueOf(cause));
    boolean refused = failed.stream().anyMatch(f -> f.refusesRecord() || f.refusesPartition());
    if (!refused && ++recoveries > RECOVERIES_MAX) {
      throw new KafkaException("the target failed " + recoveries + " times in a row", cause);
    }
    boolean aborted = indefinite == null && aborts();
    if (!aborted) {
      reopen();
    }
    partitions.values().forEach(SourcePartition::rewind);
    if (refused) {
      failed.forEach(this::setAside);
    }
    failures.take(); // an abort fails what was still in flight
    restart(aborted && settings.exactlyOnce() ? List.of() : unparked());
  }

  private List<SourcePartition> unparked() {
    return partitions.values().stream().filter(p -> p.parking == null).toList();
  }

  private boolean aborts() {
    try {
      target.abort();
      return true;
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      return false;
    }
  }

  private void reopen() {
    target.close();
    target = new Target(settings, slot);
  }

  /** Keeps one refused record or partition from stopping its neighbours. */
  private void setAside(Failures.Failure failure) {
    SourcePartition partition = failure.partition();
    if (failure.refusesPartition()) {
      park(partition, "target_refuses_partition", "target: " + failure.cause().getMessage());
    } else if (failure.refusesRecord() && failure.sourceOffset() == Failures.UNKNOWN_OFFSET) {
      partition.careful = true;
    } else if (failure.refusesRecord() && failure.sourceOffset() < partition.until) {
      partition.until = failure.sourceOffset();
      partition.careful = false;
      partition.parkingAhead =
          new SourcePartition.Parking(
              "record_refused",
              partition.source + " offset " + failure.sourceOffset() + ": " + failure.cause().getMessage());
    }
  }

  @Override
  public void close() {
    target.close();
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
