package io.kmirror;

import java.util.Optional;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * One source partition of a lane: how far it is read, how far it is committed, where it has to stop.
 * Only the task's thread changes it; the acknowledgement callback writes {@code acknowledged} alone.
 */
final class SourcePartition implements Callback {
  final TopicPartition source;
  final TopicPartition target;

  /** Under which partition the flow's group has the position. */
  final TopicPartition position;

  final UTF8String topic;
  private final Share share;
  final Failures failures;

  /** Next source offset to copy, as far as this task has read. */
  long next;

  /** What of the open transaction went where. */
  private OffsetRuns runs = new OffsetRuns();

  /** How far the target has committed. */
  private Mark committed = mark();

  /** What was committed and is not in the exact offset map yet. */
  final OffsetChunk chunk;

  /** When the position was last written to the target; positions that nobody refreshes expire. */
  long committedNanos;

  /** Leader epoch of the last record read, or null. */
  Integer leaderEpoch;

  /** Stop before this source offset: the end of a bounded copy, or a record the target refuses. */
  long until = Long.MAX_VALUE;

  /** Why the partition does not go on, or null. */
  Parking parking;

  /** What to park with when {@code until} is reached; null for the end of a bounded copy. */
  Parking parkingAhead;

  /**
   * After a refusal batches are unpacked up to here, and every record gets its own callback, to learn
   * which one it was. Afterwards, or at 0, nothing is suspected.
   */
  private long carefulUntil;

  /** Whether the lane has it on the list of partitions to commit. */
  boolean moved;

  /** The batches that are on their way as such. */
  final Unanswered unanswered = new Unanswered();

  long records;
  long bytes;

  /** How many of the records travelled in the batches they were fetched in, and why others did not. */
  long wholeRecords;

  Packing unpacked = Packing.WHOLE;
  private volatile long acknowledged = -1;

  SourcePartition(Share share, Failures failures) {
    this.source = new TopicPartition(share.topic(), share.partition());
    this.target = new TopicPartition(share.target(), share.partition());
    this.position = new TopicPartition(share.position(), share.partition());
    this.topic = UTF8String.fromString(share.topic());
    this.share = share;
    this.until = share.until();
    this.chunk = new OffsetChunk(share);
    this.failures = failures;
  }

  /** Why a partition stands still: a kind that programs know, words that people read. */
  record Parking(String kind, String message) {}

  /** A partition that stops before a refused record has ended only when it is parked, and says so. */
  boolean ended() {
    return parking != null || (next >= until && parkingAhead == null);
  }

  /** Whether nothing has changed for it in a new plan, so that it simply goes on. */
  boolean continues(Share next) {
    return share.equals(next) && parking == null && parkingAhead == null;
  }

  /**
   * Takes up a position; false when it belongs to a topic that is gone. A new process has seen no
   * acknowledgement yet: the target offset comes with the position.
   */
  boolean startAt(OffsetAndMetadata position) {
    PositionText text = PositionText.decode(position.metadata());
    next = position.offset();
    committed = mark();
    acknowledged = text.nextTarget() - 1;
    chunk.begin(next);
    return text.belongsTo(share);
  }

  void read(RecordBatch batch, Record record) {
    next = record.offset() + 1;
    leaderEpoch = epoch(batch);
    count(1, record.sizeInBytes());
  }

  void read(RecordBatch batch) {
    next = Math.min(batch.nextOffset(), until);
    leaderEpoch = epoch(batch);
  }

  private static Integer epoch(RecordBatch batch) {
    int epoch = batch.partitionLeaderEpoch();
    return epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH ? null : epoch;
  }

  void count(long moreRecords, long moreBytes) {
    records += moreRecords;
    bytes += moreBytes;
  }

  /** How a batch travels: when it was read up to {@code next}, from *from*. */
  Packing packing(RecordBatch batch, long from) {
    Packing packing = batch.baseOffset() < carefulUntil ? Packing.REFUSED : Packing.of(batch, from, until);
    if (packing != Packing.WHOLE) {
      unpacked = packing;
    }
    return packing;
  }

  void park(Parking why) {
    parking = why;
  }

  /** The target refuses a record: stop before it, once it is known which one it is. */
  void setAside(long sourceOffset, String why) {
    if (sourceOffset == Failures.UNKNOWN_OFFSET) {
      carefulUntil = Long.MAX_VALUE;
    } else if (sourceOffset < until) {
      carefulUntil = 0;
      until = sourceOffset;
      parkingAhead = new Parking("record_refused", source + ": offset " + sourceOffset + ": " + why);
    }
  }

  /** The target refuses a batch: see whether it takes its records. */
  void unpackUntil(long sourceOffset) {
    carefulUntil = Math.max(carefulUntil, sourceOffset);
  }

  /** Back to what is committed; what comes before the offset where it stops has to be copied again. */
  void rewind() {
    if (parking == parkingAhead) {
      parking = null;
    }
    next = committed.next;
    records = committed.records;
    bytes = committed.bytes;
    wholeRecords = committed.wholeRecords;
    runs = new OffsetRuns();
    unanswered.clear();
  }

  /** How far a partition is at the end of a transaction, and what of it went where. */
  record Mark(
      SourcePartition partition,
      long next,
      long records,
      long bytes,
      long wholeRecords,
      OffsetRuns runs) {}

  /** Ends a transaction: what is sent from now on belongs to the next one. */
  Mark mark() {
    Mark mark = new Mark(this, next, records, bytes, wholeRecords, runs);
    runs = new OffsetRuns();
    return mark;
  }

  /** Takes note of a commit; gives the source offset from which it reaches. */
  long committed(Mark mark) {
    long from = committed.next;
    committed = mark;
    committedNanos = System.nanoTime();
    chunk.add(mark.runs, mark.next);
    return from;
  }

  Mark committed() {
    return committed;
  }

  /** The position as it is stored: next source offset, and what is needed to check it later. */
  OffsetAndMetadata position() {
    var text = new PositionText(acknowledged + 1, share.topicId(), share.targetId(), leaderEpoch);
    return new OffsetAndMetadata(next, Optional.empty(), text.encode());
  }

  long acknowledged() {
    return acknowledged;
  }

  /** Tells that records from source offset *first* on are on their way. */
  void sent(long first, long count) {
    runs.sent(first, count);
  }

  /** For one record. */
  Callback callback(long sourceOffset) {
    if (sourceOffset >= carefulUntil) {
      return this;
    }
    return (metadata, e) -> completed(metadata, 1, sourceOffset, Failures.UNKNOWN_OFFSET, e);
  }

  /** For a batch of *count* records, all of which come before the source offset *after*. */
  Callback callback(long count, long after) {
    return (metadata, e) -> completed(metadata, count, Failures.UNKNOWN_OFFSET, after, e);
  }

  @Override
  public void onCompletion(RecordMetadata metadata, Exception e) {
    completed(metadata, 1, Failures.UNKNOWN_OFFSET, Failures.UNKNOWN_OFFSET, e);
  }

  private void completed(
      RecordMetadata first, long count, long sourceOffset, long wholeUntil, Exception e) {
    if (e == null) {
      if (first.hasOffset()) { // a repeated request may be answered without one
        acknowledged = Math.max(acknowledged, first.offset() + count - 1); // answers may come late
        runs.acknowledged(first.offset(), count);
      }
    } else {
      failures.add(new Failures.Failure(this, sourceOffset, wholeUntil, e));
    }
  }
}
