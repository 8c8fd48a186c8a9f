package io.kmirror.lane;

import io.kmirror.batch.UnreadableBatchException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedCompressionTypeException;

/** Records of the open transaction that the target did not take; filled by the producer's thread. */
public final class Failures {
  public static final long UNKNOWN_OFFSET = -1;

  private final List<Failure> failures = new ArrayList<>();
  private final int keptMax;
  private volatile boolean any;

  /**
   * @param keptMax more are not needed to decide
   */
  Failures(int keptMax) {
    this.keptMax = keptMax;
  }

  /**
   * @param partition whose
   * @param sourceOffset of the record, or of an unreadable batch's last one, or UNKNOWN_OFFSET when it may be any of a producer's batch
   * @param wholeUntil what follows the batch that was sent as a whole, or UNKNOWN_OFFSET
   * @param cause what the producer says
   */
  record Failure(SourcePartition partition, long sourceOffset, long wholeUntil, Exception cause) {

    /** The target will never take this record, however often it is sent. */
    boolean refusesRecord() {
      return cause instanceof RecordTooLargeException
          || cause instanceof RecordBatchTooLargeException
          || cause instanceof InvalidTimestampException
          || cause instanceof InvalidRecordException;
    }

    /** The target does not take this batch; its records may be another matter. */
    boolean refusesWhole() {
      return wholeUntil != UNKNOWN_OFFSET
          && (refusesRecord()
              || cause instanceof UnsupportedCompressionTypeException
              || cause instanceof UnknownServerException
              || cause.getClass() == KafkaException.class); // some other record of the batch
    }

    /** Whether it says something about its partition, not only that the transaction is lost. */
    boolean refuses() {
      return refusesWhole() || refusesRecord() || refusesPartition() || refusesLetter() || lostRecords()
          || isUnreadable();
    }

    /** What is left out cannot be kept. */
    boolean refusesLetter() {
      return cause instanceof LetterRefusedException;
    }

    /** It is the source's batch that cannot be taken apart. */
    boolean isUnreadable() {
      return cause instanceof UnreadableBatchException;
    }

    /** The target has less than it had acknowledged. */
    boolean lostRecords() {
      return cause instanceof RecordsLostException;
    }

    /** The target does not take this partition now; others may go on. */
    boolean refusesPartition() {
      if (cause instanceof TopicAuthorizationException denied) { // all that is on its way fails with it
        Set<String> topics = denied.unauthorizedTopics();
        return topics.isEmpty() || topics.contains(partition.target.topic());
      }
      return cause instanceof UnknownTopicOrPartitionException;
    }
  }

  /** Whoever interrupts a task wants it to end; that is no failure of a cluster. */
  public static void rethrowInterrupt(KafkaException e) {
    if (e instanceof InterruptException interrupt) {
      throw interrupt;
    }
  }

  /** Who may not write to *topic* has failed for the sake of whatever partition writes there. */
  static Exception meant(Exception e, String topic) {
    boolean isDenied = e instanceof TopicAuthorizationException denied && denied.unauthorizedTopics().contains(topic);
    return isDenied ? new TopicAuthorizationException(e.getMessage()) : e;
  }

  /** What only parks its thread does not notice that somebody wants its task to end. */
  static void throwIfInterrupted() {
    if (Thread.interrupted()) {
      throw new InterruptException(new InterruptedException());
    }
  }

  synchronized void add(Failure failure) {
    any = true;
    if (failures.size() < keptMax || failure.refuses()) {
      failures.add(failure);
    }
  }

  boolean any() {
    return any;
  }

  synchronized List<Failure> take() {
    List<Failure> taken = new ArrayList<>(failures);
    failures.clear();
    any = false;
    return taken;
  }
}
