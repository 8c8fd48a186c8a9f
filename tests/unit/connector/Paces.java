package io.kmirror.lane;

import io.kmirror.driver.Share;
import io.kmirror.tuning.Tuning;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Callback;

/** Sends without end over a link that is imitated, at the pace that a lane would, with a commit now and then. */
public final class Paces {
  private static final Tuning TUNING = Tuning.parsed(System.getProperty("kmirror.tuning"));
  private static final long COMMIT_MS = 100;
  private static final int RECORDS = 1000;
  private static final long COMMIT_BYTES = 16 * 1024 * 1024;

  private final double bytesPerNano;
  private final long roundTripNanos;
  private final Pace pace;
  private final OpenTransaction transaction;
  private final SourcePartition partition =
      new SourcePartition(new Share("t", 0, "A.t", "A.t", "", "", null), TUNING.offsets(), new Failures(1));
  private long now;
  private long linkFreeNanos;

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

  private Paces(double bytesPerS, long roundTripMs) {
    this.bytesPerNano = bytesPerS / 1e9;
    this.roundTripNanos = TimeUnit.MILLISECONDS.toNanos(roundTripMs);
    this.pace = new Pace(TUNING.pace(), 30_000, () -> now);
    this.transaction = new OpenTransaction(TUNING.transaction(), COMMIT_MS, COMMIT_BYTES, 60_000, () -> now);
  }

  /**
   * Each line of standard input is a link: bytes/s, round trip in ms. Prints for each the share of its rate
   * that was used, the longest wait before a commit in ms, the largest batch, whether it is called far, and
   * after how many ms the next transaction is due: as it is, when nothing more comes at the moment, the one
   * after that when the link was full all the same, and when it was not. Then, after a pause: whether the
   * next one is due with more records at hand, and without. In the end, how many commits there are when 1000
   * records come, each after a pause: one in each commit interval, and ten.
   */
  public static void main(String[] args) throws IOException {
    int pieceBytes = Integer.parseInt(args[0]);
    long endNanos = TimeUnit.SECONDS.toNanos(Long.parseLong(args[1]));
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      new Paces(Double.parseDouble(words[0]), Long.parseLong(words[1])).run(pieceBytes, endNanos);
    }
  }

  private void run(int bytes, long endNanos) {
    long half = 0;
    long sent = 0;
    long longestFlush = 0;
    while (now < endNanos) {
      Future<?> last = null;
      boolean waited = false;
      do {
        while (!pace.allows(bytes)) {
          waited = true;
          pace.awaitOldest();
        }
        transaction.moved(partition);
        transaction.grow(bytes);
        last = send(bytes);
        sent += bytes;
        if (now < endNanos / 2) {
          half = sent;
        }
      } while (!transaction.isDue(now));
      long flushed = now;
      pace.awaitAll();
      ((Answer) last).get();
      transaction.close(waited && pace.far());
      longestFlush = Math.max(longestFlush, now - flushed);
    }
    double share = (sent - half) / (bytesPerNano * (now - endNanos / 2));
    System.out.println(
        share + " " + longestFlush / 1e6 + " " + pace.batchBytesMax() + " " + pace.far() + " " + dueMs()
            + " " + dueSoonMs() + " " + dueAfterMs(pace.far()) + " " + dueAfterMs(false) + " " + dueAfterPause()
            + " " + commits(COMMIT_MS) + " " + commits(COMMIT_MS / 10));
  }

  private long dueMs() {
    transaction.moved(partition);
    return transaction.leftMs(now);
  }

  private long dueSoonMs() {
    transaction.commitSoon();
    return transaction.leftMs(now);
  }

  private long dueAfterMs(boolean filledFarLink) {
    transaction.grow(1);
    transaction.close(filledFarLink);
    return dueMs();
  }

  private String dueAfterPause() {
    transaction.close(false);
    now += TimeUnit.MILLISECONDS.toNanos(COMMIT_MS);
    transaction.moved(partition);
    return transaction.isDue(now) + " " + transaction.isDueInPause(now);
  }

  private int commits(long periodMs) {
    int commits = 0;
    for (int record = 0; record < RECORDS; record++) {
      now += TimeUnit.MILLISECONDS.toNanos(periodMs);
      long began = now;
      transaction.moved(partition);
      if (transaction.isDueInPause(now)) {
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
