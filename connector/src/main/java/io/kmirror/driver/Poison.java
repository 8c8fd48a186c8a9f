package io.kmirror.driver;

/** What becomes of a record, or a damaged batch, with which a partition cannot go on. */
public enum Poison {
  /** The partition stands still before it. */
  PARK,
  /** The partition goes on behind it. */
  SKIP,
  /** The same, and it is kept in the topic for dead letters. */
  DLQ
}
