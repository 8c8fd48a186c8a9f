package io.kmirror.lane;

import io.kmirror.tuning.Tuning;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * What is written once in a while, whether anything moves or not: positions, before they expire, and what
 * the exact offset map does not know yet, so that whoever needs it after a crash has little to read again.
 */
final class Upkeep {
  private final long everyNanos;
  private final long chunksEveryNanos;
  private final long refreshNanos;
  private long dueNanos;
  private long chunksNanos;
  private boolean mapIsDue;

  Upkeep(Tuning.Lane tuning, long nowNanos) {
    everyNanos = TimeUnit.MILLISECONDS.toNanos(tuning.upkeepMs());
    chunksEveryNanos = TimeUnit.MILLISECONDS.toNanos(tuning.dueChunksMs());
    refreshNanos = TimeUnit.MILLISECONDS.toNanos(tuning.positionRefreshMs());
    dueNanos = nowNanos + TimeUnit.MILLISECONDS.toNanos(tuning.firstUpkeepMs());
    chunksNanos = nowNanos;
  }

  /** When it is time, those of *partitions* that need it go with *transaction*. */
  void look(Collection<SourcePartition> partitions, OpenTransaction transaction, long nowNanos) {
    if (nowNanos - dueNanos >= 0) {
      dueNanos = nowNanos + everyNanos;
      chunksNanos = nowNanos;
      mapIsDue = true;
      move(partitions, p -> p.needsUpkeep(nowNanos, refreshNanos), transaction);
    } else if (nowNanos - chunksNanos >= chunksEveryNanos) {
      chunksNanos = nowNanos;
      move(partitions, SourcePartition::hasDueChunks, transaction);
    }
  }

  private static void move(
      Collection<SourcePartition> partitions, Predicate<SourcePartition> which, OpenTransaction transaction) {
    partitions.stream().filter(SourcePartition::keepsPosition).filter(which).forEach(transaction::moved);
  }

  /** Which of *moved*, which are about to be committed, bring what they have for the map. */
  List<SourcePartition> bringing(Collection<SourcePartition> moved) {
    boolean all = mapIsDue;
    mapIsDue = false;
    return moved.stream().filter(p -> all ? p.hasChunks() : p.hasDueChunks()).toList();
  }
}
