package io.kmirror;

import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/** Hands a lane's records to Spark, one row at a time, until the batch, the plan or the copy ends. */
final class SlotReader implements SupportsRealTimeRead<InternalRow> {
  private final Slot slot;
  private final Lane lane;

  SlotReader(Slot slot) {
    this.slot = slot;
    this.lane = Lanes.open(slot, TaskContext.get().taskAttemptId());
  }

  @Override
  public RecordStatus nextWithTimeout(Long startMs, Long timeoutMs) {
    return RecordStatus.newStatusWithoutArrivalTime(advance(timeoutMs, false));
  }

  /** Only a bounded copy is read like this; it has no batch deadline. */
  @Override
  public boolean next() {
    return advance(TimeUnit.DAYS.toMillis(1), true);
  }

  private boolean advance(long timeoutMs, boolean bounded) {
    return lane.next(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs), bounded);
  }

  @Override
  public InternalRow get() {
    return lane.row();
  }

  @Override
  public PartitionOffset getOffset() {
    return new FlowStream.SlotOffset(slot.epoch());
  }

  /** The lane outlives the batch; see {@link Lanes}. */
  @Override
  public void close() {}
}
