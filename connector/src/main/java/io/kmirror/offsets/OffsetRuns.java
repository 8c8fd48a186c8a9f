package io.kmirror.offsets;

import java.util.Arrays;

/**
 * Which source offsets of one transaction went to which target offsets: runs of records that lie side by
 * side in both logs.
 *
 * <p>The task's thread tells what it sends, the producer's thread what was acknowledged; each sequence is
 * broken where an offset does not follow the one before. They are read together when nothing is on its way
 * any more. The log has the order of sending; answers may not: a request that has to be repeated, because
 * a leader died before the others had its records, is answered after the one behind it.
 */
public final class OffsetRuns {
  private final Sequence sent = new Sequence();
  private final Sequence acknowledged = new Sequence();

  /** Receives the runs, in their order. */
  interface Sink {
    void run(long source, long target, long count);
  }

  /** Source offsets from *first* on are on their way. */
  public void sent(long first, long count) {
    sent.add(first, count);
  }

  /** What was sent next lies on the target from *first* on. */
  public void acknowledged(long first, long count) {
    acknowledged.add(first, count);
  }

  /** Whether it is known of every record where it lies: an answer to a repeated question may not say. */
  boolean isKnown() {
    return sent.total() == acknowledged.total();
  }

  /** Gives the runs, if they are known. */
  void forEach(Sink sink) {
    int run = 0;
    long used = 0;
    for (int i = 0; i < sent.size; i++) {
      for (long done = 0; done < sent.counts[i]; ) {
        long count = Math.min(sent.counts[i] - done, acknowledged.counts[run] - used);
        sink.run(sent.firsts[i] + done, acknowledged.firsts[run] + used, count);
        done += count;
        used += count;
        if (used == acknowledged.counts[run]) {
          run++;
          used = 0;
        }
      }
    }
  }

  /** Offsets in ascending order, whatever the order they are told in, as runs without holes. */
  private static final class Sequence {
    private long[] firsts = new long[4];
    private long[] counts = new long[4];
    private int size;

    long total() {
      return Arrays.stream(counts, 0, size).sum();
    }

    void add(long first, long count) {
      int last = size - 1;
      if (last >= 0 && firsts[last] + counts[last] == first) {
        counts[last] += count;
        return;
      }
      if (size == firsts.length) {
        firsts = Arrays.copyOf(firsts, 2 * size);
        counts = Arrays.copyOf(counts, 2 * size);
      }
      int at = size;
      while (at > 0 && firsts[at - 1] > first) {
        at--;
      }
      System.arraycopy(firsts, at, firsts, at + 1, size - at);
      System.arraycopy(counts, at, counts, at + 1, size - at);
      firsts[at] = first;
      counts[at] = count;
      size++;
    }
  }
}
