package io.kmirror.lane;

/**
 * The newest record that was read, or rather the batch that it was in.
 *
 * @param timestampMs its timestamp, the largest of the batch; -1 when there is none
 * @param readMs when it was fetched
 */
record Newest(long timestampMs, long readMs) {
  static final Newest NONE = new Newest(-1, 0);

  /** How old it was when it was fetched; -1 when it has no timestamp. */
  long ageMs() {
    return timestampMs < 0 ? -1 : Math.max(0, readMs - timestampMs);
  }

  /** How old it is at *nowMs*; -1 when it has no timestamp. */
  long ageMs(long nowMs) {
    return timestampMs < 0 ? -1 : Math.max(0, nowMs - timestampMs);
  }
}
