package io.kmirror.spark;

import io.kmirror.driver.Slot;
import io.kmirror.lane.Intake;
import io.kmirror.lane.Lane;
import io.kmirror.lane.Lanes;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;

/** Hands a lane's records to Spark, one row at a time, until the batch, the plan or the copy ends. */
final class SlotReader implements SupportsRealTimeRead<InternalRow> {
  private final Slot slot;
  private final Lane lane;
  private final boolean wholeBatches;
  private final RecordRow recordRow = new RecordRow();
  private final BatchRow batchRow = new BatchRow();

  SlotReader(Slot slot) {
    this.slot = slot;
    TaskContext task = TaskContext.get();
    boolean again = task.attemptNumber() > 0 || task.stageAttemptNumber() > 0;
    this.lane = Lanes.open(slot, task.taskAttemptId(), again);
    this.wholeBatches = slot.settings().wholeBatches();
  }

  @Override
  public RecordStatus nextWithTimeout(Long startMs, Long timeoutMs) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    return RecordStatus.newStatusWithoutArrivalTime(next(end, false));
  }

  /** Only a bounded copy is read like this; it has no batch deadline. */
  @Override
  public boolean next() {
    return next(System.nanoTime() + TimeUnit.DAYS.toNanos(1), true);
  }

  private boolean next(long endNanos, boolean bounded) {
    if (!lane.next(endNanos, bounded)) {
      return false;
    }
    Intake intake = lane.intake();
    if (wholeBatches) {
      batchRow.at(intake.current(), intake.number());
    } else {
      recordRow.at(intake.current(), intake.record());
    }
    return true;
  }

  @Override
  public InternalRow get() {
    return wholeBatches ? batchRow : recordRow;
  }

  @Override
  public PartitionOffset getOffset() {
    return new SlotOffset(slot.epoch());
  }

  /** The lane outlives the batch; see {@link Lanes}. */
  @Override
  public void close() {}
}
