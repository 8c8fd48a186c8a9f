package io.kmirror.lane;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kmirror.driver.Poison;
import io.kmirror.driver.Share;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How much lanes have on its way to the target, and when they commit: they send without end over a link that
 * is imitated, with a clock of its own.
 */
final class PaceTest {
  private static final long COMMIT_MS = 100;
  private static final long PAUSE_MS = 75;
  private static final int RECORDS = 1000;
  private static final long COMMIT_BYTES = 16 * 1024 * 1024;
  private static final int PIECE_BYTES = 16_000;
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(400);
  private static final int REQUEST_TIMEOUT_MS = 30_000;

  private long now;
  private final Pace pace = new Pace(TUNING.pace(), REQUEST_TIMEOUT_MS, () -> now);
  private final OpenTransaction transaction =
      new OpenTransaction(TUNING.transaction(), COMMIT_MS, COMMIT_BYTES, 60_000, new CommitPrice(TUNING.transaction()), () -> now);
  private final SourcePartition partition =
      new SourcePartition(
          new Share("t", 0, "A.t", "A.t", "", "", null, Poison.PARK), TUNING.offsets(), new Failures(1));
  private double bytesPerNano;
  private long roundTripNanos;
  private long linkFreeNanos;
  private double share;
  private double longestFlushMs;

  /** An answer that comes when its time has come; whoever waits for it moves the clock. */
  private final class Answer extends CompletableFuture<Void> {
    private final long nanos;
    private Callback callback;

    Answer(long nanos, Callback callback) {
      this.nanos = nanos;
      this.callback = callback;
    }

    private void come() {
      if (callback != null) {
        long later = now;
        now = nanos; // whoever is called looks at the clock when the answer comes
        callback.onCompletion(null, null);
        now = later;
        callback = null;
      }
    }

    @Override
    public boolean isDone() {
      if (now >= nanos) {
        come();
      }
      return now >= nanos;
    }

    @Override
    public Void get() {
      now = Math.max(now, nanos);
      come();
      return null;
    }
  }

  /** More than nine tenths of any rate; and never more on its way than moments take. */
  @ParameterizedTest
  @CsvSource({
    "25000, 0", "25000, 20", "25000, 100",
    "125000, 0", "125000, 20", "125000, 100",
    "1250000, 0", "1250000, 20", "1250000, 100"
  })
  void theLinkIsFullAndCommitsAreShort(long bytesPerS, long roundTripMs) {
    fill(bytesPerS, roundTripMs);
    assertTrue(share > 0.95 && share <= 1.01, () -> "share " + share);
    assertTrue(longestFlushMs < 4000, () -> "flush " + longestFlushMs);
    double quarter = bytesPerS * REQUEST_TIMEOUT_MS / 1000.0 / 4;
    double batch = pace.batchBytesMax();
    assertTrue(0.9 * quarter < batch && batch < 1.2 * quarter, () -> "batch " + batch);
    assertTrue(pace.far() || roundTripMs < 20, "where round trips are long, it is far");
    assertFalse(bytesPerS == 1_250_000 && roundTripMs == 0 && pace.far(), "it is not far");
    commitsInTime();
  }

  /** At 64 kbit/s a commit waits for little more than the least that is sent at all. */
  @Test
  void aLinkForOneBatchAtATime() {
    fill(8_000, 100);
    assertTrue(share > 0.93, () -> "share " + share);
    assertTrue(longestFlushMs < 5000, () -> "flush " + longestFlushMs);
    assertTrue(pace.far());
    commitsInTime();
  }

  /** Batches are not taken apart because a round trip is long. */
  @Test
  void whatIsFarAwayIsReachedWithMore() {
    fill(12_500_000, 300);
    assertTrue(pace.batchBytesMax() > 16 * 1024 * 1024);
    assertTrue(pace.far());
    commitsInTime();
  }

  private void fill(long bytesPerS, long roundTripMs) {
    bytesPerNano = bytesPerS / 1e9;
    roundTripNanos = TimeUnit.MILLISECONDS.toNanos(roundTripMs);
    long half = 0;
    long sent = 0;
    while (now < END_NANOS) {
      Future<?> last = null;
      boolean waited = false;
      do {
        while (!pace.allows(PIECE_BYTES)) {
          waited = true;
          pace.awaitOldest();
        }
        transaction.moved(partition);
        transaction.grow(PIECE_BYTES);
        last = send(PIECE_BYTES);
        sent += PIECE_BYTES;
        if (now < END_NANOS / 2) {
          half = sent;
        }
      } while (!transaction.isDue(now));
      long flushed = now;
      pace.awaitAll();
      ((Answer) last).get();
      transaction.close(waited && pace.far());
      longestFlushMs = Math.max(longestFlushMs, (now - flushed) / 1e6);
    }
    share = (sent - half) / (bytesPerNano * (now - END_NANOS / 2));
  }

  /**
   * After a full link: a far backlog's transactions last longer, and a moment without records ends only the
   * one that is open. What one left of its time counts for the next, and no more. What comes after a pause is
   * committed at once, but together with all that came with it; so commits are hardly more frequent.
   */
  private void commitsInTime() {
    long due = dueMs();
    long dueSoon = dueSoonMs();
    long dueAfterIt = dueAfterMs(pace.far());
    assertEquals((pace.far() ? 5000 : COMMIT_MS) * 3 / 4, dueAfterIt);
    assertEquals(PAUSE_MS, dueAfterMs(false));
    assertEquals(dueAfterIt - PAUSE_MS, due);
    assertEquals(0, dueSoon);
    pause();
    assertFalse(transaction.isDue(now), "with more at hand");
    assertTrue(transaction.isDueInPause(now, false));
    assertEquals(RECORDS, commits(COMMIT_MS), "a record in each interval is never held back");
    int shared = commits(COMMIT_MS / 10);
    assertTrue(shared >= 100 && shared <= 135, () -> "ten in each interval: " + shared);
  }

  private long dueMs() {
    transaction.moved(partition);
    return transaction.leftMs(now, false);
  }

  private long dueSoonMs() {
    transaction.commitSoon();
    return transaction.leftMs(now, false);
  }

  private long dueAfterMs(boolean filledFarLink) {
    transaction.grow(1);
    transaction.close(filledFarLink);
    return dueMs();
  }

  private void pause() {
    transaction.close(false);
    now += TimeUnit.MILLISECONDS.toNanos(COMMIT_MS);
    transaction.moved(partition);
  }

  private int commits(long periodMs) {
    int commits = 0;
    for (int record = 0; record < RECORDS; record++) {
      now += TimeUnit.MILLISECONDS.toNanos(periodMs);
      long began = now;
      transaction.moved(partition);
      if (transaction.isDueInPause(now, false)) {
        now += TimeUnit.MILLISECONDS.toNanos(2); // that takes a moment
        transaction.close(false);
        commits++;
      }
      now = began;
    }
    return commits;
  }

  private Future<?> send(int bytes) {
    now += 1000 + bytes / 10; // a lane does not take more than 10 GB/s
    linkFreeNanos = Math.max(now, linkFreeNanos) + (long) (bytes / bytesPerNano);
    Callback callback = pace.next(bytes, (metadata, e) -> {});
    Answer answer = new Answer(linkFreeNanos + roundTripNanos, callback);
    pace.sent(answer);
    return answer;
  }
}
