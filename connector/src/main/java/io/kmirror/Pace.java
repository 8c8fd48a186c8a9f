package io.kmirror;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * How much may be on its way to the target: twice what it has taken in the last moment, and a little more.
 * So it grows within a few round trips to whatever the link takes, and what has to be waited for before a
 * commit takes two moments on any link. Used by the task's thread alone.
 */
final class Pace {
  /** On its way at least; twice as much as TCP begins with. */
  private static final int LEAST_BYTES = 32 * 1024;

  /** What answers are counted in. */
  private static final int PIECE_BYTES = 8 * 1024;

  private static final long MOMENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * On its way at most, in moments. A commit costs a round trip in which nothing is on its way: so it must
   * come seldom on a far link. And the larger this is, the sooner a link is full.
   */
  private static final int FACTOR = 2;

  /** Of this time, what is done in it is forgotten at once. */
  private static final int SPANS = 8;

  private static final long SPAN_NANOS = MOMENT_NANOS / SPANS;

  /** What earlier pieces count in the rate when one is added: the last eight or so matter. */
  private static final double RATE_KEPT = 7.0 / 8;

  /** A piece alone on its way with so many bytes tells more of the link's rate than of its length. */
  private static final int LONE_PIECE_BYTES = 64 * 1024;

  /** Farther than any target in the same place, also one with much to do. */
  private static final long FAR_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

  /** A target that is only busy answers something fast in one of so many. */
  private static final int TRANSACTIONS = 5;

  /** A batch may take this part of the time after which a request is sent again. */
  private static final int TIMEOUT_PARTS = 4;

  private final LongSupplier clockNanos;
  private final long requestTimeoutNanos;
  private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
  private final long[] answered = new long[SPANS];
  private long answeredSum;
  private long span;
  private long unanswered;
  private long openBytes;
  private Piece closing;
  private final long[] fastest = new long[TRANSACTIONS];
  private int transaction;
  private long lastAnswerNanos;
  private double rateBytes;
  private double rateNanos;

  /** Some bytes that were sent; the callback of the last of them tells when they had arrived. */
  private static final class Piece {
    final long bytes;
    final long sentNanos;
    volatile long answeredNanos;
    Future<?> answer;

    Piece(long bytes, long sentNanos) {
      this.bytes = bytes;
      this.sentNanos = sentNanos;
    }
  }

  Pace(long requestTimeoutMs, LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
    this.requestTimeoutNanos = TimeUnit.MILLISECONDS.toNanos(requestTimeoutMs);
    this.lastAnswerNanos = clockNanos.getAsLong();
    this.span = lastAnswerNanos / SPAN_NANOS;
    this.fastest[transaction] = Long.MAX_VALUE;
  }

  /** Whether so many more may be sent now. */
  boolean allows(long bytes) {
    if (unanswered == 0 || openBytes > 0 && openBytes + bytes < PIECE_BYTES) {
      return true; // looking at the clock for each record would cost as much as the record
    }
    long now = takeAnswers();
    return pieces.isEmpty()
        || unanswered + bytes <= LEAST_BYTES + FACTOR * answeredSum
            && now - pieces.element().sentNanos <= FACTOR * MOMENT_NANOS;
  }

  /**
   * So many more will be sent now, behind everything before them.
   *
   * @return the callback to send them with: *callback*, or one that tells it and takes the time
   */
  Callback next(int bytes, Callback callback) {
    openBytes += bytes;
    closing = null;
    if (openBytes < PIECE_BYTES) {
      return callback;
    }
    Piece piece = new Piece(openBytes, clockNanos.getAsLong());
    closing = piece;
    return (metadata, e) -> {
      piece.answeredNanos = clockNanos.getAsLong();
      callback.onCompletion(metadata, e);
    };
  }

  /** It was sent. */
  void sent(Future<?> answer) {
    if (closing != null) {
      closing.answer = answer;
      pieces.add(closing);
      unanswered += closing.bytes;
      openBytes = 0;
      closing = null;
    }
  }

  /** Waits for the oldest answer; the producer's own timeouts bound it. */
  void awaitOldest() {
    try {
      pieces.element().answer.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      // Its callback knows more.
    }
    takeAnswers();
  }

  /** Waits for every answer, each counted when it comes. */
  void awaitAll() {
    while (!pieces.isEmpty()) {
      awaitOldest();
    }
    if (fastest[transaction] != Long.MAX_VALUE) {
      transaction = (transaction + 1) % TRANSACTIONS;
      fastest[transaction] = Long.MAX_VALUE;
    }
  }

  /** What is still on its way is given up. */
  void clear() {
    takeAnswers();
    pieces.clear();
    unanswered = 0;
    openBytes = 0;
  }

  /** Whether the target is so far away that its round trips, not the link, limit what goes in few requests. */
  boolean far() {
    for (long nanos : fastest) {
      if (nanos < FAR_NANOS) {
        return false;
      }
    }
    return true;
  }

  /** What a batch may have, so that it arrives long before its request is sent again. */
  long batchBytesMax() {
    if (rateNanos == 0) {
      return Long.MAX_VALUE; // nothing is known yet
    }
    return (long) Math.max(LEAST_BYTES, rateBytes / rateNanos * requestTimeoutNanos / TIMEOUT_PARTS);
  }

  private long takeAnswers() {
    long now = clockNanos.getAsLong();
    forgetOld(now);
    while (!pieces.isEmpty() && pieces.element().answer.isDone()) {
      Piece piece = pieces.remove();
      unanswered -= piece.bytes;
      try {
        piece.answer.get();
        count(piece);
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      } catch (ExecutionException e) {
        startAgain(e.getCause() instanceof TimeoutException);
      }
      lastAnswerNanos = piece.answeredNanos;
    }
    return now;
  }

  private void count(Piece piece) {
    answered[(int) (span % SPANS)] += piece.bytes;
    answeredSum += piece.bytes;
    fastest[transaction] = Math.min(fastest[transaction], piece.answeredNanos - piece.sentNanos);
    // A piece that waited for the one before it tells the rate; others tell how far the target is.
    if (piece.sentNanos < lastAnswerNanos || piece.bytes >= LONE_PIECE_BYTES) {
      rateBytes = rateBytes * RATE_KEPT + piece.bytes;
      rateNanos = rateNanos * RATE_KEPT
          + Math.max(0, piece.answeredNanos - Math.max(piece.sentNanos, lastAnswerNanos));
    }
  }

  /** Something was given up; when that took too long, the link is slower than anybody thought. */
  private void startAgain(boolean tooLong) {
    Arrays.fill(answered, 0);
    answeredSum = 0;
    if (tooLong) {
      rateBytes = 0;
      rateNanos = 1;
    }
  }

  private void forgetOld(long now) {
    long current = now / SPAN_NANOS;
    for (long old = Math.max(span + 1, current - SPANS + 1); old <= current; old++) {
      int index = (int) (old % SPANS);
      answeredSum -= answered[index];
      answered[index] = 0;
    }
    span = current;
  }
}
