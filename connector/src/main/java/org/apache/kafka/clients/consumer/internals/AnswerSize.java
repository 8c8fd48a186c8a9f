package org.apache.kafka.clients.consumer.internals;

/**
 * How much one answer may hold, so that it arrives long before {@code request.timeout.ms} is over: an
 * answer that takes longer is given up and asked for again, as large as before, for ever.
 */
final class AnswerSize {
  /** What is asked for before anything is known; a link of 100 kbit/s takes 20 s for it. */
  private static final int FIRST_BYTES = 256 * 1024;

  private static final int LEAST_BYTES = 16 * 1024;

  /** An answer may take this part of the time; between two a round trip is lost, and more with lost packets. */
  private static final int TIMEOUT_PARTS = 4;

  /** An answer as large as this tells what the link carries; a smaller one, how long the source waited. */
  private static final int MEASURED_ANSWER_BYTES = 64 * 1024;

  /** How much smaller after an answer that did not come. */
  private static final int FAILED_PARTS = 4;

  private final int allBytes;
  private final long timeoutMs;
  private int connections = 1;
  private int bytes;

  /**
   * @param maxBytes {@code fetch.max.bytes}
   * @param requestTimeoutMs {@code request.timeout.ms}
   */
  AnswerSize(int maxBytes, int requestTimeoutMs) {
    this.allBytes = maxBytes;
    this.timeoutMs = requestTimeoutMs;
    this.bytes = Math.min(FIRST_BYTES, maxBytes);
  }

  int bytes() {
    return bytes;
  }

  /** So many answers come side by side from now on: all together they hold as much as one did. */
  void share(int among) {
    bytes = within(maxBytes(), (long) bytes * connections / among);
    connections = among;
  }

  /** Whether the source had at least about as much as was asked for. */
  boolean isFull(long answerBytes) {
    return answerBytes >= bytes / 2;
  }

  /** An answer that is not full, because the source had no more, can tell that the link has become slower. */
  void came(long answerBytes, long latencyMs) {
    boolean full = isFull(answerBytes);
    if (full || answerBytes >= MEASURED_ANSWER_BYTES) {
      long fitting = answerBytes * wantedMs() / Math.max(1, latencyMs);
      bytes = within(full ? maxBytes() : bytes, fitting);
    }
  }

  void failed() {
    bytes = within(maxBytes(), Math.min(FIRST_BYTES, bytes) / FAILED_PARTS);
  }

  /** Those that were measured alone may fill the link together: then they take half of the time-out. */
  private long wantedMs() {
    return timeoutMs / Math.max(TIMEOUT_PARTS, TIMEOUT_PARTS / 2 * connections);
  }

  private int maxBytes() {
    return Math.max(1, allBytes / connections);
  }

  private static int within(int most, long wanted) {
    return (int) Math.min(most, Math.max(LEAST_BYTES, wanted));
  }
}
