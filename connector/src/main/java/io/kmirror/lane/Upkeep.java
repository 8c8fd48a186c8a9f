package io.kmirror.lane;

import io.kmirror.tuning.Tuning;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What is written once in a while, whether anything moves or not: positions, before they expire, and what
 * the exact offset map does not know yet, so that whoever needs it after a crash has little to read again.
 */
final class Upkeep {
  private final long everyNanos;
  private final long refreshNanos;
  private long lastNanos;
  private boolean mapIsDue;

  Upkeep(Tuning.Lane tuning, long nowNanos) {
    everyNanos = TimeUnit.MILLISECONDS.toNanos(tuning.upkeepMs());
    refreshNanos = TimeUnit.MILLISECONDS.toNanos(tuning.positionRefreshMs());
    lastNanos = nowNanos;
  }

  /** When it is time, those of *partitions* that need it go with *transaction*. */
  void look(Collection<SourcePartition> partitions, OpenTransaction transaction, long nowNanos) {
    if (nowNanos - lastNanos < everyNanos) {
      return;
    }
    lastNanos = nowNanos;
    mapIsDue = true;
    partitions.stream().filter(p -> p.needsUpkeep(nowNanos, refreshNanos)).forEach(transaction::moved);
  }

  /** Which of *moved*, which are about to be committed, bring what they have for the map. */
  List<SourcePartition> bringing(Collection<SourcePartition> moved) {
    boolean all = mapIsDue;
    mapIsDue = false;
    return moved.stream().filter(p -> all ? p.hasChunks() : p.hasDueChunks()).toList();
  }
}
