package io.kmirror.lane;

import io.kmirror.tuning.Tuning;
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
  private final int leastBytes;
  private final int pieceBytes;
  private final int momentsMax;
  private final long momentsNanosMax;
  private final int spans;
  private final long spanNanos;
  private final double rateKept;
  private final int lonePieceBytes;
  private final long farNanos;
  private final int batchTimeoutParts;
  private final LongSupplier clockNanos;
  private final long requestTimeoutNanos;
  private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
  private final long[] answered;
  private long answeredSum;
  private long span;
  private long unanswered;
  private long openBytes;
  private Piece closing;
  private final long[] fastest;
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

  /**
   * @param requestTimeoutMs after so long a request is sent again
   */
  Pace(Tuning.Pace tuning, long requestTimeoutMs, LongSupplier clockNanos) {
    long momentNanos = TimeUnit.MILLISECONDS.toNanos(tuning.momentMs());
    this.leastBytes = tuning.leastBytes();
    this.pieceBytes = tuning.pieceBytes();
    this.momentsMax = tuning.momentsMax();
    this.momentsNanosMax = momentsMax * momentNanos;
    this.spans = tuning.spans();
    this.spanNanos = momentNanos / spans;
    this.rateKept = 1 - 1.0 / tuning.ratePieces();
    this.lonePieceBytes = tuning.lonePieceBytes();
    this.farNanos = TimeUnit.MILLISECONDS.toNanos(tuning.farMs());
    this.batchTimeoutParts = tuning.batchTimeoutParts();
    this.answered = new long[spans];
    this.fastest = new long[tuning.farTransactions()];
    this.clockNanos = clockNanos;
    this.requestTimeoutNanos = TimeUnit.MILLISECONDS.toNanos(requestTimeoutMs);
    this.lastAnswerNanos = clockNanos.getAsLong();
    this.span = lastAnswerNanos / spanNanos;
    this.fastest[transaction] = Long.MAX_VALUE;
  }

  /** Whether so many more may be sent now. */
  boolean allows(long bytes) {
    if (unanswered == 0 || openBytes > 0 && openBytes + bytes < pieceBytes) {
      return true; // looking at the clock for each record would cost as much as the record
    }
    long now = takeAnswers();
    return pieces.isEmpty()
        || unanswered + bytes <= leastBytes + momentsMax * answeredSum
            && now - pieces.element().sentNanos <= momentsNanosMax;
  }

  /**
   * So many more will be sent now, behind everything before them.
   *
   * @return the callback to send them with: *callback*, or one that tells it and takes the time
   */
  Callback next(int bytes, Callback callback) {
    openBytes += bytes;
    closing = null;
    if (openBytes < pieceBytes) {
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
      transaction = (transaction + 1) % fastest.length;
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
      if (nanos < farNanos) {
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
    return (long) Math.max(leastBytes, rateBytes / rateNanos * requestTimeoutNanos / batchTimeoutParts);
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
    answered[(int) (span % spans)] += piece.bytes;
    answeredSum += piece.bytes;
    fastest[transaction] = Math.min(fastest[transaction], piece.answeredNanos - piece.sentNanos);
    // A piece that waited for the one before it tells the rate; others tell how far the target is.
    if (piece.sentNanos < lastAnswerNanos || piece.bytes >= lonePieceBytes) {
      rateBytes = rateBytes * rateKept + piece.bytes;
      rateNanos = rateNanos * rateKept
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
    long current = now / spanNanos;
    for (long old = Math.max(span + 1, current - spans + 1); old <= current; old++) {
      int index = (int) (old % spans);
      answeredSum -= answered[index];
      answered[index] = 0;
    }
    span = current;
  }
}
