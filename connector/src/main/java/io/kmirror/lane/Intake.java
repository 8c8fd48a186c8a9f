package io.kmirror.lane;

import io.kmirror.batch.DamagedBatch;
import io.kmirror.batch.Unpacked;
import io.kmirror.batch.UnreadableBatchException;
import io.kmirror.driver.Parking;
import io.kmirror.driver.Settings;
import io.kmirror.driver.Share;
import io.kmirror.lane.LaneClock.Activity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.ListIterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.consumer.internals.BatchConsumer.Fetched;
import org.apache.kafka.clients.consumer.internals.BatchConsumer.FetchedBatch;
import org.apache.kafka.clients.consumer.internals.BatchConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;

/**
 * The source side of a lane: what was fetched, what of it has been handed out, where a partition ends.
 * It moves each partition's {@code next}; what is committed is the {@link Lane}'s business.
 */
public final class Intake implements AutoCloseable {
  private final BatchConsumer consumer;
  private final Connecting connecting;
  private final Held held;
  private final Map<TopicPartition, SourcePartition> partitions;
  private final DeadLetters letters;
  private final LaneFigures figures;
  private final Consumer<SourcePartition> moved;
  private final Consumer<SourcePartition> parked;
  private final Throttle throttle;
  private final boolean wholeBatches;
  private final boolean checksums;
  private final BufferSupplier buffers = BufferSupplier.create();

  private List<Fetched> fetched = List.of();
  private Iterator<Fetched> fetchedAhead = Collections.emptyIterator();
  private ListIterator<FetchedBatch> batches = Collections.emptyListIterator();
  private Unpacked records;
  private SourcePartition current;
  private RecordBatch batch;
  private ByteBuffer bytes;
  private Record record;
  private long number;
  private long from;
  private long readMs;

  /**
   * @param throttle says how fast it may read
   * @param partitions the lane's, which changes them; {@link #take} takes note
   * @param letters take what is damaged, where the copy goes on without it
   * @param figures counts how old records are
   * @param moved told of every partition whose next offset has changed
   * @param parked told of every partition that will not go on
   */
  Intake(
      Settings settings,
      Throttle throttle,
      Map<TopicPartition, SourcePartition> partitions,
      DeadLetters letters,
      LaneFigures figures,
      Consumer<SourcePartition> moved,
      Consumer<SourcePartition> parked) {
    this.throttle = throttle;
    this.partitions = partitions;
    this.letters = letters;
    this.figures = figures;
    this.moved = moved;
    this.parked = parked;
    this.wholeBatches = settings.wholeBatches();
    // Kafka's consumers check what they read unless they are told not to.
    this.checksums = !"false".equals(settings.consumer().get(ConsumerConfig.CHECK_CRCS_CONFIG));
    this.consumer = 
        new BatchConsumer(
            new HashMap<>(settings.consumer()), settings.connectionsMax(), settings.tuning().fetch());
    this.connecting = new Connecting(consumer);
    this.held = new Held(throttle, consumer);
  }

  /** Has the source connected in the background, for the first *shares* that will be taken up. */
  void connect(Collection<Share> shares) {
    connecting.begin(shares);
  }

  /** Takes up *begun* at their next offsets; what was fetched of others that stay is handed out next. */
  void take(Collection<SourcePartition> begun) {
    connecting.await();
    Set<SourcePartition> going = new HashSet<>(partitions.values());
    begun.forEach(going::remove);
    if (!going.contains(current)) {
      skipRest();
      current = null;
    }
    List<Fetched> ahead = new ArrayList<>();
    fetchedAhead.forEachRemaining(ahead::add);
    fetchedAhead = of(going, ahead).iterator();
    fetched = of(going, fetched);
    reassign();
    begun.stream().filter(p -> !p.ended()).forEach(p -> consumer.seek(p.source, p.next(), p.leaderEpoch()));
  }

  private List<Fetched> of(Set<SourcePartition> going, List<Fetched> all) {
    return all.stream().filter(each -> going.contains(partitions.get(each.partition()))).toList();
  }

  private void skipRest() {
    batches = Collections.emptyListIterator();
    closeRecords();
  }

  private void closeRecords() {
    if (records != null) {
      records.close();
      records = null;
    }
  }

  private void reassign() {
    Set<TopicPartition> active = new HashSet<>();
    partitions.values().stream().filter(p -> !p.ended()).forEach(p -> active.add(p.source));
    consumer.assign(active);
  }

  /** So much of the heap is for answers; may be called by any thread. */
  public void room(long bytes) {
    consumer.memory.room(bytes);
  }

  /** The partition of what was handed out last. */
  public SourcePartition current() {
    return current;
  }

  /** The batch handed out last, or that of the record. */
  RecordBatch batch() {
    return batch;
  }

  /** The batch as it came; its memory is used again. */
  ByteBuffer bytes() {
    return bytes;
  }

  /** Which one it is, of those that were handed out whole. */
  public long number() {
    return number;
  }

  /** The record handed out last. */
  public Record record() {
    return record;
  }

  /** Whether more batches of that partition were fetched. */
  boolean hasMore() {
    return batches.hasNext();
  }

  /** The first offset of {@link #batch} that is to be copied. */
  long from() {
    return from;
  }

  /** Moves to the next record, or whole batch, that was fetched already; false when there is none. */
  boolean advance() {
    while (true) {
      if (records != null && nextRecord()) {
        return true;
      }
      while (!batches.hasNext()) {
        if (!fetchedAhead.hasNext()) {
          return false;
        }
        Fetched fetch = fetchedAhead.next();
        current = partitions.get(fetch.partition());
        batches = fetch.batches().listIterator();
      }
      FetchedBatch next = batches.next();
      batch = next.batch();
      bytes = next.bytes();
      if (opens(batch) && wholeBatches) {
        number++;
        from = current.next();
        current.read(batch, readMs);
        countAge(batch.maxTimestamp(), batch.countOrNull());
        moved.accept(current);
        return true;
      }
    }
  }

  private void countAge(long timestampMs, Integer records) {
    if (timestampMs >= 0) {
      figures.age.add(readMs - timestampMs, records == null ? 1 : records);
    }
  }

  /** Whether the next batch is to be copied and not damaged; makes its records ready if they are wanted. */
  private boolean opens(RecordBatch next) {
    try {
      if (next.magic() < RecordBatch.MAGIC_VALUE_V2) {
        next.ensureValid(); // only its records tell where it begins
      }
      if (current.stopsBefore(next.baseOffset())) {
        skipRest();
        return false;
      }
      throttle.charge(current.source.topic(), next.sizeInBytes()); // it was fetched, also if it is damaged
      if (checksums) {
        next.ensureValid();
      }
      current.refused.throwIfUnreadable(next);
      records = wholeBatches ? null : new Unpacked(next, buffers);
      return true;
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      damaged(next, e);
      return false;
    }
  }

  private void damaged(RecordBatch damaged, KafkaException e) {
    if (!leavesOut(damaged, e)) {
      long offset = Math.max(current.next(), DamagedBatch.start(damaged, current.next()));
      park(current, Parking.damagedBatch(offset, e));
      skipRest();
    }
  }

  /** Goes on behind a damaged batch, if that is wanted, and known to be where it ends. */
  private boolean leavesOut(RecordBatch damaged, KafkaException e) {
    if (!current.refused.isLeftOut()) {
      return false;
    }
    RecordBatch following = null;
    if (batches.hasNext()) {
      following = batches.next().batch();
      batches.previous();
    }
    long end = DamagedBatch.end(damaged, following);
    if (end <= current.next()) {
      return false;
    }
    letters.leaveOut(current, damaged, bytes, end, e);
    current.stepTo(end, current.leaderEpoch());
    moved.accept(current);
    return true;
  }

  private boolean nextRecord() {
    try {
      while (records.hasNext()) {
        Record next = records.next();
        if (current.ends(next.offset())) {
          skipRest();
          return false;
        }
        if (current.awaits(next.offset())) {
          record = next;
          current.read(batch, next, readMs);
          countAge(next.timestamp(), null);
          moved.accept(current);
          return true;
        }
      }
    } catch (UnreadableBatchException e) {
      damaged(batch, e);
    }
    closeRecords();
    return false;
  }

  /** Everything fetched has been handed out: steps over what carried no records, then asks for more. */
  void poll(long timeoutMs) {
    stepOver();
    endFinished();
    fetched = List.of();
    if (consumer.assignment().isEmpty()) {
      figures.clock.enter(Activity.IDLE);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(timeoutMs));
      Failures.throwIfInterrupted();
      figures.clock.enter(Activity.CONVERT);
      return;
    }
    try {
      long heldMs = held.back();
      figures.clock.enter(held.any() ? Activity.THROTTLED : Activity.SOURCE);
      fetched = consumer.poll(Math.min(timeoutMs, heldMs));
    } catch (LogTruncationException e) {
      e.offsetOutOfRangePartitions().forEach((tp, offset) -> parkTruncated(tp, offset, e.divergentOffsets().get(tp)));
    } catch (OffsetOutOfRangeException e) {
      e.offsetOutOfRangePartitions().forEach((tp, offset) -> park(partitions.get(tp), Parking.dataGap(offset)));
    } catch (TopicAuthorizationException e) {
      parkTopics(e);
    }
    figures.clock.enter(Activity.CONVERT);
    fetchedAhead = fetched.iterator();
    readMs = System.currentTimeMillis();
  }

  private void parkTruncated(TopicPartition tp, long offset, OffsetAndMetadata kept) {
    park(partitions.get(tp), Parking.logTruncated(kept == null ? null : kept.offset(), offset));
  }

  /** The target's topics that the last answer has records for. */
  Set<String> targetTopics() {
    Set<String> topics = new HashSet<>();
    fetched.forEach(each -> topics.add(partitions.get(each.partition()).target.topic()));
    return topics;
  }

  /** Whether the last answer had nothing, or there was none yet. */
  boolean isEmpty() {
    return fetched.isEmpty();
  }

  /** What the consumer measures of itself. */
  Map<MetricName, ? extends Metric> clientMetrics() {
    return consumer.metrics.metrics();
  }

  /** See {@link BatchConsumer#trickles}. */
  boolean trickles() {
    return consumer.trickles();
  }

  private void parkTopics(TopicAuthorizationException e) {
    partitions.values().stream()
        .filter(p -> e.unauthorizedTopics().contains(p.source.topic()))
        .forEach(p -> park(p, Parking.notAuthorized(e)));
  }

  void park(SourcePartition partition, Parking why) {
    partition.park(why);
    parked.accept(partition);
    reassign();
  }

  /** Markers, aborted and compacted records move the position without being records. */
  private void stepOver() {
    for (Fetched each : fetched) {
      SourcePartition partition = partitions.get(each.partition());
      if (partition.stepTo(each.nextOffset(), each.epoch())) {
        moved.accept(partition);
      }
      if (each.damage() != null && !partition.ended()) {
        park(partition, Parking.damagedBatch(each.nextOffset(), each.damage()));
      }
    }
  }

  /** Partitions that reached the offset where they have to stop leave the consumer. */
  private void endFinished() {
    List<SourcePartition> ended =
        consumer.assignment().stream().map(partitions::get).filter(p -> p.ends(p.next())).toList();
    ended.stream().filter(SourcePartition::parkAtItsEnd).forEach(parked);
    if (!ended.isEmpty()) {
      reassign();
    }
  }

  @Override
  public void close() {
    closeRecords();
    buffers.close();
    consumer.close();
  }
}
