package io.kmirror.spark;

import io.kmirror.driver.Slot;
import java.util.function.LongFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeMode;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;

/**
 * The source side of a flow's query. Positions live on the target cluster, so what Spark calls an
 * offset is only the number of the batch; the plan file is read again at the start of each batch,
 * which is how a new plan takes over without a new query.
 */
final class FlowStream implements MicroBatchStream, SupportsRealTimeMode, SupportsTriggerAvailableNow {
  private final LongFunction<InputPartition[]> slots;

  /**
   * @param slots gives what each slot has to do in a batch, by the batch's number
   */
  FlowStream(LongFunction<InputPartition[]> slots) {
    BlockFolders.restore();
    this.slots = slots;
  }

  /** The number of a batch, in Spark's clothes. */
  static final class Epoch extends Offset {
    final long number;

    Epoch(long number) {
      this.number = number;
    }

    @Override
    public String json() {
      return Long.toString(number);
    }
  }

  @Override
  public Offset initialOffset() {
    return new Epoch(0);
  }

  @Override
  public Offset deserializeOffset(String json) {
    return new Epoch(Long.parseLong(json.trim()));
  }

  @Override
  public InputPartition[] planInputPartitions(Offset start) {
    return slots.apply(((Epoch) start).number);
  }

  @Override
  public Offset mergeOffsets(PartitionOffset[] offsets) {
    long last = 0;
    for (PartitionOffset offset : offsets) {
      last = Math.max(last, ((SlotOffset) offset).epoch());
    }
    return new Epoch(last + 1);
  }

  /** A bounded copy is one batch: from wherever the target stands to the ends named in the plan. */
  @Override
  public Offset latestOffset(Offset start, ReadLimit limit) {
    return new Epoch(1);
  }

  @Override
  public Offset latestOffset() {
    throw new UnsupportedOperationException("latestOffset(Offset, ReadLimit) is the one to call");
  }

  @Override
  public void prepareForTriggerAvailableNow() {}

  @Override
  public InputPartition[] planInputPartitions(Offset start, Offset end) {
    return planInputPartitions(start);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new ReaderFactory();
  }

  @Override
  public void commit(Offset end) {}

  @Override
  public void stop() {}

  private static final class ReaderFactory implements PartitionReaderFactory {
    private static final long serialVersionUID = 1L;

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      if (partition instanceof Slot slot) {
        return slot.isIdle() ? new IdleReader(slot.epoch()) : new SlotReader(slot);
      }
      return new StreamReader((StreamSlot) partition);
    }
  }
}
