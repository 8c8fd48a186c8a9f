package io.kmirror.batch;

import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.RecordBatch;

/** How a fetched batch goes to the target: as it is, or in others, and then why. */
public enum Packing {
  WHOLE(""),
  OLD_FORMAT("its format is older than v2"),
  APPEND_TIME("its timestamps are the source broker's"),
  COMPACTED("compaction took records out of it"),
  PARTLY("only a part of it is to be copied"),
  REFUSED("the target refused it as a whole"),
  TOO_LARGE("it is larger than the target's max.message.bytes"),
  COMPRESSED_ANEW("the producer's compression.type is not its codec"),
  TOO_SLOW("the link is slow: it would be sent again before it arrives"),
  QUEUED("others of its partition wait, and go in one batch with it");

  public final String why;

  Packing(String why) {
    this.why = why;
  }

  /**
   * @param batch as fetched
   * @param from first source offset that is to be copied
   * @param until source offset before which the copy ends
   */
  public static Packing of(RecordBatch batch, long from, long until) {
    if (batch.magic() < RecordBatch.MAGIC_VALUE_V2) {
      return OLD_FORMAT;
    }
    if (batch.baseOffset() < from || batch.lastOffset() >= until) {
      return PARTLY;
    }
    // The batch keeps the producers' own timestamps inside, which nobody is meant to see.
    if (batch.timestampType() != TimestampType.CREATE_TIME) {
      return APPEND_TIME;
    }
    // The target numbers records without holes. A delete horizon takes the place of the base timestamp.
    long offsets = batch.lastOffset() - batch.baseOffset() + 1;
    if (batch.countOrNull() != offsets || batch.deleteHorizonMs().isPresent()) {
      return COMPACTED;
    }
    return WHOLE;
  }
}
