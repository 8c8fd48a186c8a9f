package io.kmirror;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** What a lane has read and not committed: which partitions have moved, since when, how much it is. */
final class OpenTransaction {
  private final List<SourcePartition> moved = new ArrayList<>();
  private long sinceNanos;
  private long bytes;

  void moved(SourcePartition partition) {
    if (partition.moved) {
      return;
    }
    if (!isOpen()) {
      sinceNanos = System.nanoTime();
    }
    partition.moved = true;
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
  boolean isDue(Settings settings, long nowNanos) {
    return isOpen() && (ageMs(nowNanos) >= settings.commitIntervalMs() || bytes >= settings.commitBytesMax());
  }

  long ageMs(long nowNanos) {
    return isOpen() ? TimeUnit.NANOSECONDS.toMillis(nowNanos - sinceNanos) : 0;
  }

  void close() {
    moved.forEach(p -> p.moved = false);
    moved.clear();
    bytes = 0;
  }
}
