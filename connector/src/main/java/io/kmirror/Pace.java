package io.kmirror;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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

  /** Alone on its way, this much tells more of the link's rate than of its length. */
  private static final int TELLING_BYTES = 64 * 1024;

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
  private long lastAnswerNanos;
  private double rateBytes;
  private double rateNanos;

  private record Piece(Future<?> answer, long bytes, long nanos) {}

  Pace(long requestTimeoutMs, LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
    this.requestTimeoutNanos = TimeUnit.MILLISECONDS.toNanos(requestTimeoutMs);
    this.lastAnswerNanos = clockNanos.getAsLong();
    this.span = lastAnswerNanos / SPAN_NANOS;
  }

  /** Whether so many more may be sent now. */
  boolean allows(long bytes) {
    if (unanswered == 0 || openBytes > 0 && openBytes + bytes < PIECE_BYTES) {
      return true; // looking at the clock for each record would cost as much as the record
    }
    long now = takeAnswers();
    return pieces.isEmpty()
        || unanswered + bytes <= LEAST_BYTES + FACTOR * answeredSum
            && now - pieces.element().nanos <= FACTOR * MOMENT_NANOS;
  }

  /** Something was sent, behind everything before it. */
  void sent(Future<?> answer, int bytes) {
    openBytes += bytes;
    if (openBytes >= PIECE_BYTES) {
      pieces.add(new Piece(answer, openBytes, clockNanos.getAsLong()));
      unanswered += openBytes;
      openBytes = 0;
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
        count(piece, now);
      } catch (InterruptedException e) {
        throw new InterruptException(e);
      } catch (ExecutionException e) {
        startAgain(e.getCause() instanceof TimeoutException);
      }
      lastAnswerNanos = now;
    }
    return now;
  }

  private void count(Piece piece, long now) {
    answered[(int) (span % SPANS)] += piece.bytes;
    answeredSum += piece.bytes;
    learn(piece, now);
  }

  /** A piece that waited for the one before it tells the rate; others tell how far the target is. */
  private void learn(Piece piece, long now) {
    boolean waited = piece.nanos < lastAnswerNanos;
    if (waited || piece.bytes >= TELLING_BYTES) {
      rateBytes = rateBytes * (SPANS - 1) / SPANS + piece.bytes;
      rateNanos = rateNanos * (SPANS - 1) / SPANS + now - Math.max(piece.nanos, lastAnswerNanos);
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
