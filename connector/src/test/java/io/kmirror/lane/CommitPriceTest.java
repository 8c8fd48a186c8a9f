package io.kmirror.lane;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kmirror.driver.Poison;
import io.kmirror.driver.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a trickle is committed: records come at a rate, and commits take their time, on a clock of its own. */
final class CommitPriceTest {
  private static final long COMMIT_MS = 100;
  private static final long SECONDS = 20;

  private long now;
  private final CommitPrice price = new CommitPrice(TUNING.transaction());
  private final OpenTransaction transaction =
      new OpenTransaction(TUNING.transaction(), COMMIT_MS, 1 << 24, 60_000, price, () -> now);
  private final List<Double> waitsMs = new ArrayList<>();
  private double committingNanos;
  private int commits;

  /** Commits take a third of a stream's time, and a record waits for little more than half of what lies between. */
  @ParameterizedTest
  @CsvSource({
    "10, 4, 0.04", "100, 4, 0.41", "200, 4, 0.41", "1000, 4, 0.35", "5000, 2, 0.34", "5000, 5, 0.34", "5000, 20, 0.34"
  })
  void commitsTakeAPartOfTheTime(int perSecond, long tookMs, double shareMax) {
    run(perSecond, tookMs, partitions(1));
    double share = committingNanos / now;
    assertTrue(share <= shareMax, () -> "share " + share);
    double median = waitsMs.stream().sorted().toList().get(waitsMs.size() / 2);
    assertTrue(median <= 2 * tookMs + 2, () -> "median " + median);
    if (perSecond <= 100) {
      assertEquals(0, median, "where commits are cheaper than what lies between records, none waits");
    }
  }

  /** A slow target has no more commits than without a price, and many partitions fewer. */
  @Test
  void whatIsDearIsSeldom() {
    run(5000, 60, partitions(1));
    assertTrue(commits <= SECONDS * 1000 / 75 + 1, () -> "a slow target: " + commits);
    int slow = commits;
    for (int rounds = 0; rounds < 100; rounds++) {
      price.took(TimeUnit.MILLISECONDS.toNanos(4));
    }
    run(5000, 4, partitions(1000));
    int many = commits - slow;
    assertTrue(many <= SECONDS * 1000 / 75 + 1, () -> "many partitions: " + many);
  }

  /** Nothing is known before the first commit: then the interval counts. */
  @Test
  void theFirstOneHasNoPrice() {
    transaction.close(false);
    transaction.moved(partitions(1).get(0));
    assertEquals(75, transaction.leftMs(now, true));
    price.took(TimeUnit.MICROSECONDS.toNanos(3400));
    assertEquals(11, transaction.leftMs(now, true));
    assertEquals(75, transaction.leftMs(now, false), "a backlog waits for the interval");
  }

  private void run(int perSecond, long tookMs, List<SourcePartition> partitions) {
    long end = now + TimeUnit.SECONDS.toNanos(SECONDS);
    long free = now;
    List<Long> open = new ArrayList<>();
    for (int i = 0; now < end; i++) {
      now += TimeUnit.SECONDS.toNanos(1) / perSecond;
      transaction.moved(partitions.get(i % partitions.size()));
      open.add(now);
      if (now >= free && transaction.isDueInPause(now, true) || transaction.isDue(now)) {
        open.forEach(each -> waitsMs.add((now - each) / 1e6));
        open.clear();
        transaction.close(false);
        long took = TimeUnit.MILLISECONDS.toNanos(tookMs);
        price.took(took);
        free = now + took;
        committingNanos += took;
        commits++;
      }
    }
  }

  private static List<SourcePartition> partitions(int count) {
    List<SourcePartition> made = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Share share = new Share("t", i, "A.t", "A.t", "", "", null, Poison.PARK);
      made.add(new SourcePartition(share, TUNING.offsets(), new Failures(1)));
    }
    return made;
  }
}
