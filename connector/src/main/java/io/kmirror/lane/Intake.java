package io.kmirror.lane;

import io.kmirror.driver.Parking;
import io.kmirror.driver.Settings;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
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
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;

/**
 * The source side of a lane: what was fetched, what of it has been handed out, where a partition ends.
 * It moves each partition's {@code next}; what is committed is the {@link Lane}'s business.
 */
public final class Intake implements AutoCloseable {
  private final BatchConsumer consumer;
  private final Map<TopicPartition, SourcePartition> partitions;
  private final Consumer<SourcePartition> moved;
  private final Consumer<SourcePartition> parked;
  private final boolean wholeBatches;
  private final boolean checksums;
  private final BufferSupplier buffers = BufferSupplier.create();

  private List<Fetched> fetched = List.of();
  private Iterator<Fetched> fetchedAhead = Collections.emptyIterator();
  private Iterator<FetchedBatch> batches = Collections.emptyIterator();
  private CloseableIterator<Record> records;
  private SourcePartition current;
  private RecordBatch batch;
  private ByteBuffer bytes;
  private Record record;
  private long from;

  /**
   * @param partitions the lane's, which changes them; {@link #take} takes note
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
    this.wholeBatches = settings.wholeBatches();
    // Kafka's consumers check what they read unless they are told not to.
    this.checksums = !"false".equals(settings.consumer().get(ConsumerConfig.CHECK_CRCS_CONFIG));
    this.consumer = 
        new BatchConsumer(
            new HashMap<>(settings.consumer()), settings.connectionsMax(), settings.tuning().fetch());
  }

  /** Takes up *begun* at their next offsets; what was fetched of others that stay is handed out next. */
  void take(Collection<SourcePartition> begun) {
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
    batches = Collections.emptyIterator();
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
    partitions.forEach(
        (tp, partition) -> {
          if (!partition.ended()) {
            active.add(tp);
          }
        });
    consumer.assign(active);
  }

  /** The partition of what was handed out last. */
  public SourcePartition current() {
    return current;
  }

  /** The batch handed out last, or that of the record. */
  public RecordBatch batch() {
    return batch;
  }

  /** The batch as it came. */
  public ByteBuffer bytes() {
    return bytes;
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
        batches = fetch.batches().iterator();
      }
      FetchedBatch next = batches.next();
      batch = next.batch();
      bytes = next.bytes();
      if (opens(batch) && wholeBatches) {
        from = current.next();
        current.read(batch);
        moved.accept(current);
        return true;
      }
    }
  }

  /** Whether the next batch is to be copied and not damaged; makes its records ready if they are wanted. */
  private boolean opens(RecordBatch next) {
    if (current.stopsBefore(next.baseOffset())) {
      skipRest();
      return false;
    }
    try {
      if (checksums) {
        next.ensureValid();
      }
      records = wholeBatches ? null : next.streamingIterator(buffers);
      return true;
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      park(current, Parking.damagedBatch(next.baseOffset(), e));
      skipRest();
      return false;
    }
  }

  private boolean nextRecord() {
    while (records.hasNext()) {
      Record next = records.next();
      if (current.ends(next.offset())) {
        skipRest();
        return false;
      }
      if (current.awaits(next.offset())) {
        record = next;
        current.read(batch, next);
        moved.accept(current);
        return true;
      }
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
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(timeoutMs));
      return;
    }
    try {
      fetched = consumer.poll(timeoutMs);
    } catch (LogTruncationException e) {
      e.offsetOutOfRangePartitions().forEach((tp, offset) -> parkTruncated(tp, offset, e.divergentOffsets().get(tp)));
    } catch (OffsetOutOfRangeException e) {
      e.offsetOutOfRangePartitions()
          .forEach((tp, offset) -> park(partitions.get(tp), Parking.dataGap(offset)));
    } catch (TopicAuthorizationException e) {
      parkTopics(e);
    }
    fetchedAhead = fetched.iterator();
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
    boolean ended = false;
    for (TopicPartition tp : consumer.assignment()) {
      SourcePartition partition = partitions.get(tp);
      if (partition.isReadToItsEnd()) {
        ended = true;
        if (partition.parkAtItsEnd()) {
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
    closeRecords();
    buffers.close();
    consumer.close();
  }
}
