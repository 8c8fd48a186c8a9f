package io.kmirror.fetch;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.message.FetchResponseData.AbortedTransaction;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Which batches of one fetch answer belong to aborted transactions. A producer's transaction is aborted
 * from the first offset that the answer names up to the marker (KIP-98).
 */
public final class AbortedTransactions {
  private final Deque<AbortedTransaction> ahead = new ArrayDeque<>();
  private final Set<Long> producers = new HashSet<>();

  /**
   * @param named by the broker, in any order; null when there are none
   */
  public AbortedTransactions(List<AbortedTransaction> named) {
    if (named != null) {
      named.stream()
          .sorted(Comparator.comparingLong(AbortedTransaction::firstOffset))
          .forEach(ahead::add);
    }
  }

  /** Tells whether *batch* was aborted; ask for each batch of the answer, in order. */
  public boolean contains(RecordBatch batch) {
    boolean none = ahead.isEmpty() && producers.isEmpty();
    if (none || !batch.hasProducerId() || !batch.isValid()) { // what a damaged header says counts for nothing
      return false;
    }
    while (!ahead.isEmpty() && ahead.peek().firstOffset() <= batch.lastOffset()) {
      producers.add(ahead.poll().producerId());
    }
    if (endsAborted(batch)) {
      producers.remove(batch.producerId());
      return false;
    }
    return batch.isTransactional() && producers.contains(batch.producerId());
  }

  private static boolean endsAborted(RecordBatch batch) {
    if (!batch.isControlBatch()) {
      return false;
    }
    var records = batch.iterator();
    if (!records.hasNext()) {
      return false;
    }
    Record marker = records.next();
    return ControlRecordType.parse(marker.key()) == ControlRecordType.ABORT;
  }
}
