package io.kmirror.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/** Gives nothing, at once, and opens no lane: Spark's way of running a task is gone once, for later ones. */
final class IdleReader implements SupportsRealTimeRead<InternalRow> {
  private final long epoch;

  IdleReader(long epoch) {
    this.epoch = epoch;
  }

  @Override
  public RecordStatus nextWithTimeout(Long startMs, Long timeoutMs) {
    return RecordStatus.newStatusWithoutArrivalTime(false);
  }

  @Override
  public boolean next() {
    return false;
  }

  @Override
  public InternalRow get() {
    throw new IllegalStateException("it gives nothing");
  }

  @Override
  public PartitionOffset getOffset() {
    return new SlotOffset(epoch);
  }

  @Override
  public void close() {}
}
