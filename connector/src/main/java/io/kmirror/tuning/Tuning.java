package io.kmirror.tuning;

import com.fasterxml.jackson.databind.ObjectReader;
import java.io.Serializable;

/**
 * Every number by which lanes decide. Python chooses them, and {@code kmirror/pipeline/tuning} says why:
 * the page docs/design/tuning.md is made of it.
 */
public record Tuning(
    Fetch fetch, Offsets offsets, Batches batches, Pace pace, Transaction transaction, Lane lane, Target target)
    implements Serializable {

  /** How much is asked of the source at a time, and over how many connections. */
  public record Fetch(
      int firstAnswerBytes,
      int leastAnswerBytes,
      int answerTimeoutParts,
      int measuredAnswerBytes,
      int failedAnswerParts,
      long farBytesPerMs,
      long nearBytesPerMs,
      long decisionMs,
      long decisionBytes,
      int trickleBytes,
      int memoryAnswers,
      int heapParts,
      int pooledAnswerBytes)
      implements Serializable {

    private static final ObjectReader READER = Binding.reader(Fetch.class);

    /** Reads a JSON object. */
    public static Fetch parsed(String json) {
      return Binding.parsed(READER, json);
    }
  }

  /** How much is remembered of where records went. */
  public record Offsets(int chunkRecordsMax, int chunkBytesMax, int reportedRunsMax) implements Serializable {}

  /** Which batches are put together. */
  public record Batches(int unansweredMax, long lateMs, int mergedBytesMax, int smallBytes, int partBytesMax)
      implements Serializable {}

  /** How much may be on its way to the target. */
  public record Pace(
      int leastBytes,
      int pieceBytes,
      long momentMs,
      int momentsMax,
      int spans,
      int ratePieces,
      int lonePieceBytes,
      long farMs,
      int farTransactions,
      int batchTimeoutParts)
      implements Serializable {}

  /** When a transaction is committed. */
  public record Transaction(
      int stretchMax,
      long stretchedMsMax,
      int timeoutParts,
      int earlyParts,
      int burst,
      int priceTimes,
      int idleTimes,
      int pricedCommits,
      long markerUs)
      implements Serializable {}

  /** How often a lane looks around, and when it gives up. */
  public record Lane(
      int clockLookRecords,
      long idlePollMs,
      long roundUs,
      long firstUpkeepMs,
      long upkeepMs,
      long dueChunksMs,
      long positionRefreshMs,
      int recoveriesMax,
      int failuresMax,
      long figuresMs,
      long clientFiguresMs)
      implements Serializable {}

  /** How often the target is asked, and for how long. */
  public record Target(long endsIntervalMs, long limitAgeMsMax, long adminTimeoutMs) implements Serializable {}

  private static final ObjectReader READER = Binding.reader(Tuning.class);

  /** Reads a JSON object. */
  public static Tuning parsed(String json) {
    return Binding.parsed(READER, json);
  }
}
