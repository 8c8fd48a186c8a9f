package io.kmirror.lane;

import io.kmirror.tuning.Tuning;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** What a lane has read and not committed: which partitions have moved, since when, how much it is. */
final class OpenTransaction {
  private final int stretchMax;
  private final int earlyParts;
  private final int burst;
  private final long ageMsMax;
  private final long bytesMax;
  private final long stretchedMsMax;
  private final CommitPrice price;
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
   * @param price what it costs to end one
   */
  OpenTransaction(
      Tuning.Transaction tuning,
      long ageMsMax,
      long bytesMax,
      long timeoutMs,
      CommitPrice price,
      LongSupplier clockNanos) {
    this.stretchMax = tuning.stretchMax();
    this.earlyParts = tuning.earlyParts();
    this.burst = tuning.burst();
    this.ageMsMax = ageMsMax;
    this.bytesMax = bytesMax;
    long stretchedMs = Math.min(tuning.stretchedMsMax(), timeoutMs / tuning.timeoutParts());
    this.stretchedMsMax = Math.max(ageMsMax, stretchedMs);
    this.price = price;
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

  /** When the first of its records was read. */
  long sinceNanos() {
    return sinceNanos;
  }

  boolean isOpen() {
    return !moved.isEmpty();
  }

  /** Whether it is old or large enough to be ended. */
  boolean isDue(long nowNanos) {
    return isOpen() && (usualMs() <= ageMs(nowNanos, sinceNanos) || bytes >= bytesMax * stretch());
  }

  /**
   * Whether it is to be ended when there is no more at hand: the last ones ended long enough ago.
   *
   * @param trickles whether so little comes that commits may take the time that is left over
   */
  boolean isDueInPause(long nowNanos, boolean trickles) {
    return isOpen() && leftMs(nowNanos, trickles) <= 0;
  }

  /** After how much more time it is due in a pause; as if the last one ended now when it is not open. */
  long leftMs(long nowNanos, boolean trickles) {
    long usualPauseMs = pauseMs(usualMs());
    if (!isOpen()) {
      return usualPauseMs;
    }
    long idleMs = ageMs(sinceNanos, endedNanos);
    long pauseMs = trickles ? Math.min(usualPauseMs, price.pauseMs(moved.size(), idleMs)) : usualPauseMs;
    return pauseMs - savedMs - ageMs(nowNanos, endedNanos);
  }

  private long pauseMs(long usualMs) {
    return usualMs - usualMs / earlyParts;
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
      stretch = filledFarLink ? Math.min(2 * stretch, stretchMax) : 1;
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
    long unusedMs = Math.min(savedMs + ageMs(nowNanos, endedNanos), burst * pauseMs);
    savedMs = Math.max(0, unusedMs - pauseMs);
    endedNanos = nowNanos;
  }
}
