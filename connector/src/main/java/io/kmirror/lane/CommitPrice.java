package io.kmirror.lane;

import io.kmirror.tuning.Tuning;
import java.util.concurrent.TimeUnit;

/**
 * What a commit costs: the time that the last ones took, and the markers that the target's brokers write for
 * it, one in each partition. Where nothing else is to be done, commits may take a part of the time, and no more.
 */
final class CommitPrice {
  private final int times;
  private final int idleTimes;
  private final int commits;
  private final long markerNanos;
  private double nanos;

  CommitPrice(Tuning.Transaction tuning) {
    this.times = tuning.priceTimes();
    this.idleTimes = tuning.idleTimes();
    this.commits = tuning.pricedCommits();
    this.markerNanos = TimeUnit.MICROSECONDS.toNanos(tuning.markerUs());
  }

  /** A commit took so long. */
  void took(long lastNanos) {
    // The first one tells all that is known; it opened connections, so it is too much rather than too little.
    nanos = nanos == 0 ? lastNanos : nanos + (lastNanos - nanos) / commits;
  }

  /**
   * How much time has to lie between the ends of two transactions; without end before a commit was seen.
   *
   * @param partitions the transaction has
   * @param idleMs after the end of the last one, nothing came for so long
   */
  long pauseMs(int partitions, long idleMs) {
    if (nanos == 0) {
      return Long.MAX_VALUE;
    }
    double priced = times * (nanos + (double) markerNanos * partitions);
    return (long) Math.ceil(priced / TimeUnit.MILLISECONDS.toNanos(1)) - (idleTimes - 1) * idleMs;
  }
}
