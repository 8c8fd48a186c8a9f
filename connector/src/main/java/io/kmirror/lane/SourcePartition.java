package io.kmirror.lane;

import io.kmirror.batch.Packing;
import io.kmirror.driver.Parking;
import io.kmirror.driver.Share;
import io.kmirror.offsets.OffsetChunk;
import io.kmirror.offsets.OffsetRuns;
import io.kmirror.offsets.PositionText;
import io.kmirror.tuning.Tuning;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
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
public final class SourcePartition implements Callback {
  public final TopicPartition source;
  final TopicPartition target;

  /** Under which partition the flow's group has the position. */
  final TopicPartition position;

  public final UTF8String topic;
  final Share share;
  private final Failures failures;

  /** Next source offset to copy, as far as this task has read. */
  private long next;

  /** What of the open transaction went where. */
  private OffsetRuns runs = new OffsetRuns();

  /** How far the target has committed. */
  private Mark committed;

  /** What was committed and is not in the exact offset map yet. */
  private final OffsetChunk chunk;

  /** When the position was last written to the target; positions that nobody refreshes expire. */
  private long committedNanos;

  /** Leader epoch of what lies right before {@code next} in the source, or null. */
  private Integer leaderEpoch;

  /** A leader epoch of the target before the last record sent was written, or null. */
  private Integer targetEpoch;

  /** Whether the open transaction has nothing of it yet. */
  private boolean fresh = true;

  /** Stop before this source offset: the end of a bounded copy, or a record the target refuses. */
  private long until = Long.MAX_VALUE;

  /** Why the partition does not go on, or null. */
  private Parking parking;

  /** What to park with when {@code until} is reached; null for the end of a bounded copy. */
  private Parking parkingAhead;

  /** Whether the lane has it on the list of partitions to commit. */
  private boolean enlisted;

  /** The batches that are on their way as such. */
  private final Unanswered unanswered = new Unanswered();

  final CopyCounts counts = new CopyCounts();
  final Refused refused;

  private volatile long acknowledged = -1;

  /** What earlier transactions wrote reaches up to here; a target that writes here again has lost it. */
  private volatile long written = -1;

  /** From where on the target has lost what it had acknowledged; -1 for nothing. */
  private volatile long cutAt = Failures.UNKNOWN_OFFSET;

  SourcePartition(Share share, Tuning.Offsets tuning, Failures failures) {
    this.source = new TopicPartition(share.topic(), share.partition());
    this.target = new TopicPartition(share.target(), share.partition());
    this.position = new TopicPartition(share.position(), share.partition());
    this.topic = UTF8String.fromString(share.topic());
    this.share = share;
    this.until = share.until() == null ? Long.MAX_VALUE : share.until();
    this.chunk = 
        new OffsetChunk(share.topic(), share.partition(), share.topicId(), share.targetId(), tuning);
    this.failures = failures;
    this.refused = new Refused(share.poison());
    this.committed = mark();
  }

  /** A partition that stops before a refused record has ended only when it is parked, and says so. */
  boolean ended() {
    return parking != null || (next >= until && parkingAhead == null);
  }

  /** Why it does not go on, or null. */
  Parking parking() {
    return parking;
  }

  boolean isParked() {
    return parking != null;
  }

  long next() {
    return next;
  }

  /** Whether nothing from source offset *offset* on is to be copied now. */
  boolean stopsBefore(long offset) {
    return ends(offset) || parking != null;
  }

  /** Whether the copy ends before source offset *offset*. */
  boolean ends(long offset) {
    return offset >= until;
  }

  /** Whether the copy has not come to source offset *offset* yet. */
  boolean awaits(long offset) {
    return offset >= next;
  }

  /** Parks it for what it stops before; false when that is only the end of a bounded copy. */
  boolean parkAtItsEnd() {
    if (parkingAhead == null) {
      return false;
    }
    parking = parkingAhead;
    return true;
  }

  /** Puts it on the list of partitions to commit; false when it is there. */
  boolean enlist() {
    boolean added = !enlisted;
    enlisted = true;
    return added;
  }

  void delist() {
    enlisted = false;
  }

  /** Whether its position may be written again as it is. */
  boolean keepsPosition() {
    return parking == null || parking.keepsPosition();
  }

  /** Whether its position was last written *nanos* ago, or earlier, or there is news for the map. */
  boolean needsUpkeep(long nowNanos, long nanos) {
    return hasChunks() || nowNanos - committedNanos > nanos;
  }

  /** Whether there is something for the exact offset map. */
  boolean hasChunks() {
    return !chunk.isEmpty();
  }

  /** Whether there is so much for the exact offset map that it should be written down. */
  boolean hasDueChunks() {
    return chunk.isDue();
  }

  /** Gives what the exact offset map does not know yet, for whoever writes it down. */
  List<OffsetChunk.Written> takeChunks() {
    return chunk.take();
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
    leaderEpoch = text.leaderEpoch();
    targetEpoch = text.targetEpoch();
    acknowledged = text.nextTarget() - 1;
    committed = mark();
    chunk.begin(next);
    return text.belongsTo(share.topicId(), share.targetId());
  }

  void read(RecordBatch batch, Record record, long nowMs) {
    next = record.offset() + 1;
    counts.read(record.timestamp(), nowMs);
    leaderEpoch = epoch(batch);
    counts.addRecord(record);
  }

  void read(RecordBatch batch, long nowMs) {
    next = Math.min(batch.nextOffset(), until);
    counts.read(batch.maxTimestamp(), nowMs);
    leaderEpoch = epoch(batch);
  }

  private static Integer epoch(RecordBatch batch) {
    int epoch = batch.partitionLeaderEpoch();
    return epoch == RecordBatch.NO_PARTITION_LEADER_EPOCH ? null : epoch;
  }

  /** Steps over what holds no records; false when it has been read up to there. */
  boolean stepTo(long offset, Optional<Integer> epoch) {
    long stop = Math.min(offset, until);
    if (stop <= next || parking != null) {
      return false;
    }
    next = stop;
    leaderEpoch = epoch.orElse(null);
    return true;
  }

  Optional<Integer> leaderEpoch() {
    return Optional.ofNullable(leaderEpoch);
  }

  /** A batch is on its way as such. */
  void awaitAnswer(Future<?> answer) {
    unanswered.add(answer);
  }

  /** How many batches are on their way as such. */
  int unansweredBatches() {
    return unanswered.size();
  }

  /** Whether the oldest of those batches waits for its answer for longer than *nanos*. */
  boolean isAnsweredLate(long nanos) {
    return unanswered.isLate(nanos);
  }

  /** How a batch travels: when it was read up to {@code next}, from *from*. */
  Packing packing(RecordBatch batch, long from) {
    Packing packing = refused.unpacks(batch) ? Packing.REFUSED : Packing.of(batch, from, until);
    if (packing != Packing.WHOLE) {
      counts.packed(packing);
    }
    return packing;
  }

  void park(Parking why) {
    parking = why;
  }

  /** The target refuses a record: stop before it or leave it out, once it is known which one it is. */
  void setAside(long sourceOffset, Exception cause) {
    if (refused.parks(sourceOffset, cause)) {
      stopBefore(sourceOffset, cause);
    }
  }

  /** Stop before a record that cannot be copied, and is not left out. */
  void stopBefore(long sourceOffset, Exception cause) {
    if (sourceOffset < until) {
      until = sourceOffset;
      parkingAhead = Parking.recordRefused(sourceOffset, cause);
    }
  }

  /** Back to what is committed; what comes before the offset where it stops has to be copied again. */
  void rewind() {
    if (parking != null && parking.isFoundAgain()) {
      parking = null;
    }
    next = committed.next();
    leaderEpoch = committed.leaderEpoch();
    targetEpoch = committed.targetEpoch();
    acknowledged = written = committed.nextTarget() - 1;
    cutAt = cutAt > written ? Failures.UNKNOWN_OFFSET : cutAt; // what was not committed is not missed
    fresh = true;
    counts.rewind(committed);
    runs = new OffsetRuns();
    refused.rewind();
    unanswered.clear();
  }

  /** Ends a transaction: what is sent from now on belongs to the next one. */
  Mark mark() {
    long nextTarget = acknowledged + 1;
    Mark mark =
        new Mark(
            this, next, leaderEpoch, nextTarget, targetEpoch,
            counts.records(), counts.bytes(), counts.wholeRecords(), counts.newest(), runs, refused.take());
    runs = new OffsetRuns();
    written = acknowledged;
    fresh = true;
    return mark;
  }

  /** Takes note of a commit; gives the source offset from which it reaches. */
  long committed(Mark mark) {
    long from = committed.next();
    committed = mark;
    committedNanos = System.nanoTime();
    counts.committed(mark.newest());
    chunk.add(mark.runs(), mark.next());
    refused.committed(mark.next());
    return from;
  }

  Mark committed() {
    return committed;
  }

  /** The position as it is stored: next source offset, and what is needed to check it later. */
  OffsetAndMetadata position() {
    var text =
        new PositionText(acknowledged + 1, share.topicId(), share.targetId(), leaderEpoch, targetEpoch);
    return new OffsetAndMetadata(next, Optional.empty(), text.encode());
  }

  long acknowledged() {
    return acknowledged;
  }

  /** Next target offset after what earlier transactions wrote: a log that ends before it has lost records. */
  long written() {
    return written + 1;
  }

  /** What of the committed records the target has lost: from this target offset on; -1 is nothing. */
  long cutAt() {
    return cutAt;
  }

  /** Whether the next record sent is the open transaction's first one of this partition. */
  boolean isFresh() {
    return fresh;
  }

  /** The open transaction begins with this leader epoch of the target, or a later one; null is unknown. */
  void begin(Integer epoch) {
    fresh = false;
    if (epoch != null) {
      targetEpoch = epoch;
    }
  }

  /** Tells that records from source offset *first* on are on their way. */
  void sent(long first, long count) {
    runs.sent(first, count);
  }

  /** For one record. */
  Callback callback(long sourceOffset) {
    if (!refused.isWatched(sourceOffset)) {
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

  /** The target has lost what earlier transactions wrote from target offset *from* on. */
  void lost(long from) {
    if (cutAt == Failures.UNKNOWN_OFFSET) {
      cutAt = from;
      failures.add(
          new Failures.Failure(
              this, Failures.UNKNOWN_OFFSET, Failures.UNKNOWN_OFFSET, new RecordsLostException(from)));
    }
  }

  private void completed(
      RecordMetadata first, long count, long sourceOffset, long wholeUntil, Exception e) {
    if (e == null) {
      if (first.hasOffset()) { // a repeated request may be answered without one
        if (first.offset() <= written) {
          lost(first.offset());
        }
        acknowledged = Math.max(acknowledged, first.offset() + count - 1); // answers may come late
        runs.acknowledged(first.offset(), count);
      }
    } else {
      failures.add(new Failures.Failure(this, sourceOffset, wholeUntil, e));
    }
  }
}
