package io.kmirror.batch;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.record.internal.RecordBatch;

/** A batch that cannot be read. If it is for a wrong checksum, its header may be wrong, too. */
public final class DamagedBatch {
  /** It cannot be told. */
  public static final long UNKNOWN = -1;

  private DamagedBatch() {}

  /**
   * Where it begins, as far as that can be told.
   *
   * @param damaged the batch
   * @param next what would be copied next
   */
  public static long start(RecordBatch damaged, long next) {
    return damaged.magic() < RecordBatch.MAGIC_VALUE_V2 ? next : damaged.baseOffset();
  }

  /**
   * Where the source goes on behind it, so that nothing is left out which can be read.
   *
   * @param damaged the batch
   * @param following what lies behind it, or null
   * @return an offset, or UNKNOWN
   */
  public static long end(RecordBatch damaged, RecordBatch following) {
    try {
      if (following != null && following.isValid() && following.baseOffset() > start(damaged, UNKNOWN)) {
        return following.baseOffset();
      }
    } catch (KafkaException e) {
      // Nor can that one be read.
    }
    if (damaged.magic() < RecordBatch.MAGIC_VALUE_V2) {
      return UNKNOWN;
    }
    // Two fields of its header say the same of a batch that lacks no record; only one of them is damaged.
    Integer records = damaged.countOrNull();
    boolean agrees = records != null && records == damaged.lastOffset() - damaged.baseOffset() + 1;
    return agrees ? damaged.nextOffset() : UNKNOWN;
  }
}
