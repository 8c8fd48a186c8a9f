package io.kmirror;

import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * One source partition of a lane: how far it is read, how far it is committed, where it has to stop.
 * Only the task's thread changes it; the acknowledgement callback writes {@code acknowledged} alone.
 */
final class SourcePartition implements Callback {
  final TopicPartition source;
  final TopicPartition target;
  final UTF8String topic;
  final String topicId;
  final Failures failures;

  /** Next source offset to copy, as far as this task has read. */
  long next;

  /** Next source offset to copy, as far as the target has committed. */
  long committed;

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

  /** After a refusal every record gets its own callback, to learn which one it was. */
  boolean careful;

  /** Whether the lane has it on the list of partitions to commit. */
  boolean moved;

  long records;
  long bytes;
  private long committedRecords;
  private long committedBytes;
  private volatile long acknowledged = -1;

  SourcePartition(Share share, Failures failures) {
    this.source = new TopicPartition(share.topic(), share.partition());
    this.target = new TopicPartition(share.target(), share.partition());
    this.topic = UTF8String.fromString(share.topic());
    this.topicId = share.topicId();
    this.until = share.until();
    this.failures = failures;
  }

  /** Why a partition stands still: a kind that programs know, words that people read. */
  record Parking(String kind, String message) {}

  /** A partition that stops before a refused record has ended only when it is parked, and says so. */
  boolean ended() {
    return parking != null || (next >= until && parkingAhead == null);
  }

  /** Whether nothing has changed for it in a new plan, so that it simply goes on. */
  boolean continues(Share share) {
    return share != null
        && parking == null
        && parkingAhead == null
        && until == share.until()
        && topicId.equals(share.topicId())
        && target.topic().equals(share.target());
  }

  /** A new process has seen no acknowledgement yet: the target offset comes with the position. */
  void startAt(long position, long nextTargetOffset) {
    next = position;
    committed = position;
    acknowledged = nextTargetOffset - 1;
  }

  void read(ConsumerRecord<byte[], byte[]> record) {
    next = record.offset() + 1;
    leaderEpoch = record.leaderEpoch().orElse(null);
    records++;
    bytes += size(record);
  }

  static int size(ConsumerRecord<byte[], byte[]> record) {
    return Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
  }

  void park(Parking why) {
    parking = why;
  }

  /** The target refuses a record: stop before it, once it is known which one it is. */
  void setAside(long sourceOffset, String why) {
    if (sourceOffset == Failures.UNKNOWN_OFFSET) {
      careful = true;
    } else if (sourceOffset < until) {
      careful = false;
      until = sourceOffset;
      parkingAhead = new Parking("record_refused", source + ": offset " + sourceOffset + ": " + why);
    }
  }

  void rewind() {
    next = committed;
    records = committedRecords;
    bytes = committedBytes;
  }

  void committedNow() {
    committed = next;
    committedRecords = records;
    committedBytes = bytes;
    moved = false;
    committedNanos = System.nanoTime();
  }

  /**
   * The position as it is stored: next source offset, and what is needed to check it later. The driver
   * reads it with librdkafka, which takes the text for a C string: without the NUL it reads past the end.
   */
  OffsetAndMetadata position() {
    String metadata =
        "{\"t\":" + (acknowledged + 1) + ",\"id\":\"" + topicId + "\",\"e\":" + leaderEpoch + "}\0";
    return new OffsetAndMetadata(next, Optional.empty(), metadata);
  }

  long acknowledged() {
    return acknowledged;
  }

  Callback callback(long sourceOffset) {
    return careful ? (metadata, e) -> completed(metadata, e, sourceOffset) : this;
  }

  @Override
  public void onCompletion(RecordMetadata metadata, Exception e) {
    completed(metadata, e, Failures.UNKNOWN_OFFSET);
  }

  private void completed(RecordMetadata metadata, Exception e, long sourceOffset) {
    if (e == null) {
      acknowledged = metadata.offset();
    } else {
      failures.add(new Failures.Failure(this, sourceOffset, e));
    }
  }
}
