package io.kmirror.offsets;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Arrays;

/** What was committed of one partition since the last report that arrived, for whoever translates offsets now. */
public final class CopiedRuns {
  private static final int NUMBERS = 3;

  private final int runsMax;
  private long from = -1;
  private long next = -1;
  private long[] runs = new long[NUMBERS];
  private int size;

  /**
   * @param runsMax more of them go into the offset map's topic soon: the driver reads them there
   */
  public CopiedRuns(int runsMax) {
    this.runsMax = runsMax;
  }

  /** Adds a transaction that reaches from source offset *begin* to *end*. */
  public void add(long begin, long end, OffsetRuns committed) {
    if (begin != next) {
      restart(begin);
    }
    if (committed.isKnown()) {
      committed.forEach(this::add);
      next = end;
    } else {
      restart(end);
    }
    if (size > runsMax * NUMBERS) {
      restart(end);
    }
  }

  /** Adds what was committed later. */
  public void add(CopiedRuns later) {
    if (later.from != next) {
      restart(later.from);
    }
    for (int i = 0; i < later.size; i += NUMBERS) {
      add(later.runs[i], later.runs[i + 1], later.runs[i + 2]);
    }
    next = later.next;
    if (size > runsMax * NUMBERS) {
      restart(next);
    }
  }

  private void restart(long begin) {
    from = begin;
    next = begin;
    size = 0;
  }

  private void add(long source, long target, long count) {
    if (size + NUMBERS > runs.length) {
      runs = Arrays.copyOf(runs, 2 * runs.length);
    }
    runs[size++] = source;
    runs[size++] = target;
    runs[size++] = count;
  }

  /** Begin and end, in source offsets, then source offset, target offset and count of each run. */
  public void writeTo(ArrayNode numbers) {
    numbers.add(from).add(next);
    for (int i = 0; i < size; i++) {
      numbers.add(runs[i]);
    }
  }
}
