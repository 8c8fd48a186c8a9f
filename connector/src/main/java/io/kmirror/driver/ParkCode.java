package io.kmirror.driver;

import java.util.Locale;

/** Why a partition stands still, for programs; {@code kmirror/plans/parking.py} has the same, and their texts. */
public enum ParkCode {
  /** No position is known. */
  POSITION_MISSING,
  /** Its position belongs to a topic that is gone. */
  TOPIC_RECREATED,
  /** The source does not have the next offset. */
  DATA_GAP,
  /** The source has lost what was copied. */
  LOG_TRUNCATED,
  /** The target has lost what it had acknowledged. */
  TARGET_LOST_RECORDS,
  /** A batch of the source cannot be read. */
  DAMAGED_BATCH,
  /** The target never takes a record. */
  RECORD_REFUSED,
  /** The source does not let it be read. */
  NOT_AUTHORIZED,
  /** The target does not let it be written. */
  TARGET_REFUSES_PARTITION;

  /** As reports have it. */
  public final String code;

  ParkCode() {
    this.code = name().toLowerCase(Locale.ROOT);
  }
}
