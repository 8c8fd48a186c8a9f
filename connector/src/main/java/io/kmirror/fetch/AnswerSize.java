package io.kmirror.fetch;

import io.kmirror.tuning.Tuning;
import org.apache.kafka.common.requests.FetchResponse;

/**
 * How much one answer may hold, so that it arrives long before {@code request.timeout.ms} is over: an
 * answer that takes longer is given up and asked for again, as large as before, for ever.
 */
public final class AnswerSize {
  private final Tuning.Fetch tuning;
  private final AnswerMemory memory;
  private final int allBytes;
  private final long timeoutMs;
  private int connections = 1;
  private int brokers = 1;
  private int bytes;
  private long bytesMax = Long.MAX_VALUE;

  /**
   * @param tuning first and smallest sizes, and what tells the next one
   * @param memory has room for the answers of all brokers
   * @param maxBytes {@code fetch.max.bytes}
   * @param requestTimeoutMs {@code request.timeout.ms}
   */
  public AnswerSize(Tuning.Fetch tuning, AnswerMemory memory, int maxBytes, int requestTimeoutMs) {
    this.tuning = tuning;
    this.memory = memory;
    this.allBytes = maxBytes;
    this.timeoutMs = requestTimeoutMs;
    this.bytes = Math.min(tuning.firstAnswerBytes(), maxBytes);
  }

  /** How many bytes of records an answer has. */
  public static long of(FetchResponse answer) {
    long bytes = 0;
    for (var topic : answer.data().responses()) {
      for (var partition : topic.partitions()) {
        bytes += FetchResponse.recordsSize(partition);
      }
    }
    return bytes;
  }

  public int bytes() {
    return (int) Math.min(bytes, Math.max(tuning.leastAnswerBytes(), bytesMax));
  }

  /** No answer shall hold more than this, whatever the link carries. */
  public void limit(long answerBytes) {
    bytesMax = answerBytes;
  }

  /** So many brokers give answers: they lie in memory side by side. */
  public void from(int count) {
    brokers = Math.max(1, count);
    bytes = Math.min(bytes, maxBytes());
  }

  /** So many answers of a broker come side by side from now on: all together they hold as much as one did. */
  public void share(int among) {
    bytes = within(maxBytes(), (long) bytes * connections / among);
    connections = among;
  }

  /** Whether the source had at least about as much as was asked for. */
  public boolean isFull(long answerBytes) {
    return answerBytes >= bytes / 2;
  }

  /** An answer that is not full, because the source had no more, can tell that the link has become slower. */
  public void came(long answerBytes, long latencyMs) {
    boolean full = isFull(answerBytes);
    if (full || answerBytes >= tuning.measuredAnswerBytes()) {
      long fitting = answerBytes * wantedMs() / Math.max(1, latencyMs);
      bytes = within(full ? maxBytes() : bytes, fitting);
    }
  }

  public void failed() {
    bytes = within(maxBytes(), Math.min(tuning.firstAnswerBytes(), bytes) / tuning.failedAnswerParts());
  }

  /** Those that were measured alone may fill the link together: then they take half of the time-out. */
  private long wantedMs() {
    int parts = tuning.answerTimeoutParts();
    return timeoutMs / Math.max(parts, parts / 2 * connections);
  }

  private int maxBytes() {
    long fitting = memory.roomBytes() / tuning.memoryAnswers() / brokers;
    return (int) Math.max(1, Math.min(allBytes, fitting) / connections);
  }

  private int within(int most, long wanted) {
    return (int) Math.min(most, Math.max(tuning.leastAnswerBytes(), wanted));
  }
}
