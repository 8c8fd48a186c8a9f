package io.kmirror.lane;

import io.kmirror.batch.Packing;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/** How much of a partition its lane has copied since it was opened, and how it travelled. */
final class CopyCounts {
  private long records;
  private long bytes;
  private long wholeRecords;
  private long timestampMs = -1;
  private long readMs;
  private Newest committed = Newest.NONE;
  private long latencyMs = -1;
  private Packing unpacked = Packing.WHOLE;

  void addRecord(Record record) {
    records++;
    bytes += record.sizeInBytes();
  }

  /** A batch of *moreRecords* records goes on, in another one or as it is. */
  void addBatch(RecordBatch batch, int moreRecords) {
    records += moreRecords;
    bytes += batch.sizeInBytes();
  }

  /** A batch goes on as it is. */
  void addWhole(RecordBatch batch, int moreRecords) {
    wholeRecords += moreRecords;
    addBatch(batch, moreRecords);
  }

  /** A record, or a batch with records as new as that, is handed out; it was fetched at *nowMs*. */
  void read(long newestMs, long nowMs) {
    timestampMs = newestMs;
    readMs = nowMs;
  }

  /** What was read last. */
  Newest newest() {
    return timestampMs < 0 ? Newest.NONE : new Newest(timestampMs, readMs);
  }

  /** It is committed. */
  void committed(Newest newest) {
    if (!newest.equals(committed)) { // a position that is only written again is no record
      committed = newest;
      latencyMs = newest.ageMs(System.currentTimeMillis());
    }
  }

  /** How old the newest record was when it was committed; -1 when it is not known. */
  long latencyMs() {
    return latencyMs;
  }

  /** A batch does not go on as it is. */
  void packed(Packing packing) {
    unpacked = packing;
  }

  /** What was not committed will be copied again. */
  void rewind(Mark committed) {
    records = committed.records();
    bytes = committed.bytes();
    wholeRecords = committed.wholeRecords();
    timestampMs = committed.newest().timestampMs();
    readMs = committed.newest().readMs();
  }

  long records() {
    return records;
  }

  long bytes() {
    return bytes;
  }

  /** How many of the records travelled in the batches they were fetched in. */
  long wholeRecords() {
    return wholeRecords;
  }

  /** Why others did not, lately. */
  Packing unpacked() {
    return unpacked;
  }
}
