package io.kmirror;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** What a lane has read and not committed: which partitions have moved, since when, how much it is. */
final class OpenTransaction {
  /** So many times its usual age and size that of a backlog may have. */
  private static final int STRETCH_MAX = 64;

  private static final long STRETCHED_MS_MAX = 5_000;

  /** A transaction may take this part of the time after which the target gives it up. */
  private static final int TIMEOUT_PARTS = 4;

  /** In a pause it is due so much earlier: a record that comes each 100 ms need not wait for the next one. */
  private static final int EARLY_PARTS = 4;

  /** So many may end in a row when none did for as long: a record need not wait for what a heartbeat began. */
  private static final int BURST = 2;

  private final long ageMsMax;
  private final long bytesMax;
  private final long stretchedMsMax;
  private final LongSupplier clockNanos;
  private final List<SourcePartition> moved = new ArrayList<>();
  private int stretch = 1;
  private boolean commitsSoon;
  private long sinceNanos;
  private long endedNanos;
  private long savedMs;
  private long bytes;

  /**
   * @param ageMsMax after so long it is due
   * @param bytesMax and with so much
   * @param timeoutMs after so long the target gives it up
   */
  OpenTransaction(long ageMsMax, long bytesMax, long timeoutMs, LongSupplier clockNanos) {
    this.ageMsMax = ageMsMax;
    this.bytesMax = bytesMax;
    this.stretchedMsMax = Math.max(ageMsMax, Math.min(STRETCHED_MS_MAX, timeoutMs / TIMEOUT_PARTS));
    this.clockNanos = clockNanos;
    this.endedNanos = clockNanos.getAsLong();
  }

  void moved(SourcePartition partition) {
    if (!partition.enlist()) {
      return;
    }
    if (!isOpen()) {
      sinceNanos = clockNanos.getAsLong();
    }
    moved.add(partition);
  }

  void grow(long moreBytes) {
    bytes += moreBytes;
  }

  /** Those whose positions have to be committed. */
  List<SourcePartition> partitions() {
    return moved;
  }

  boolean isOpen() {
    return !moved.isEmpty();
  }

  /** Whether it is old or large enough to be ended. */
  boolean isDue(long nowNanos) {
    return isOpen() && (usualMs() <= ageMs(nowNanos, sinceNanos) || bytes >= bytesMax * stretch());
  }

  /** Whether it is to be ended when there is no more at hand: the last ones ended long enough ago. */
  boolean isDueInPause(long nowNanos) {
    return isOpen() && leftMs(nowNanos) <= 0;
  }

  /** After how much more time it is due in a pause; as if the last one ended now when it is not open. */
  long leftMs(long nowNanos) {
    long pauseMs = pauseMs(usualMs());
    return isOpen() ? pauseMs - savedMs - ageMs(nowNanos, endedNanos) : pauseMs;
  }

  private static long pauseMs(long usualMs) {
    return usualMs - usualMs / EARLY_PARTS;
  }

  private static long ageMs(long nowNanos, long fromNanos) {
    return TimeUnit.NANOSECONDS.toMillis(nowNanos - fromNanos);
  }

  private long usualMs() {
    return Math.min(ageMsMax * stretch(), stretchedMsMax);
  }

  private int stretch() {
    return commitsSoon ? 1 : stretch;
  }

  /** There is no more at the moment: somebody may wait for what this has. */
  void commitSoon() {
    commitsSoon = isOpen();
  }

  /**
   * Ends it. Each commit costs a round trip in which nothing is on its way, and TCP begins slowly after
   * that: on a far link that nothing but a backlog fills, each transaction lasts twice as long as the last.
   * One without records tells nothing of the link.
   */
  void close(boolean filledFarLink) {
    if (bytes > 0) {
      stretch = filledFarLink ? Math.min(2 * stretch, STRETCH_MAX) : 1;
    }
    commitsSoon = false;
    save();
    moved.forEach(SourcePartition::delist);
    moved.clear();
    bytes = 0;
  }

  private void save() {
    long nowNanos = clockNanos.getAsLong();
    long pauseMs = pauseMs(ageMsMax);
    long unusedMs = Math.min(savedMs + ageMs(nowNanos, endedNanos), BURST * pauseMs);
    savedMs = Math.max(0, unusedMs - pauseMs);
    endedNanos = nowNanos;
  }
}
