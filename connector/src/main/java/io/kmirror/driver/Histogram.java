package io.kmirror.driver;

import com.fasterxml.jackson.databind.node.ArrayNode;

/**
 * Times by how long they were: a bucket for each power of two, in milliseconds. One thread adds, once for
 * each record where records are copied, and nothing is allocated for that. Whoever reads meanwhile sees
 * some of the newest times later.
 */
public final class Histogram {
  private static final int BUCKETS = 40;

  private final long[] counts = new long[BUCKETS];
  private long sumMs;

  /** *count* times were as long as *ms*. */
  public void add(long ms, long count) {
    long time = Math.max(0, ms);
    int bucket = Long.SIZE - Long.numberOfLeadingZeros(Math.max(0, time - 1));
    counts[Math.min(bucket, BUCKETS - 1)] += count;
    sumMs += time * count;
  }

  /** Writes the sum, then how many there are in each bucket: up to 1 ms, 2 ms, 4 ms and so on. */
  public void writeTo(ArrayNode numbers) {
    numbers.add(sumMs);
    for (long count : counts) {
      numbers.add(count);
    }
  }
}
