package io.kmirror.batch;

import java.util.Locale;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.RecordBatch;

/** How a fetched batch goes to the target: as it is, or in others, and then why. */
public enum Packing {
  WHOLE,
  /** Its format is older than v2. */
  OLD_FORMAT,
  /** Its timestamps are the source broker's. */
  APPEND_TIME,
  COMPACTED,
  /** Only a part of it is to be copied. */
  PARTLY,
  /** The target refused it as a whole. */
  REFUSED,
  /** It is larger than the target's max.message.bytes. */
  TOO_LARGE,
  /** The producer's compression.type is not its codec. */
  COMPRESSED_ANEW,
  /** It would be sent again before it arrives. */
  TOO_SLOW,
  /** Others of its partition wait, and go in one batch with it. */
  QUEUED;

  /** For reports; {@code kmirror/pipeline/packing.py} says it to people. Nothing for {@link #WHOLE}. */
  public final String code;

  Packing() {
    this.code = ordinal() == 0 ? "" : name().toLowerCase(Locale.ROOT);
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
