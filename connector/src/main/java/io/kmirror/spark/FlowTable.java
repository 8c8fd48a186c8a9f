package io.kmirror.spark;

import io.kmirror.driver.Plan;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.LongFunction;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.SupportsWrite;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.PhysicalWriteInfo;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.connector.write.streaming.StreamingDataWriterFactory;
import org.apache.spark.sql.connector.write.streaming.StreamingWrite;
import org.apache.spark.sql.internal.connector.SupportsStreamingUpdateAsAppend;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * One flow as Spark sees it: the source cluster to read from, the target cluster to write to. A batch
 * query reads windows of either cluster instead, for an audit.
 */
public final class FlowTable implements SupportsRead, SupportsWrite {

  /** Option naming the file that holds the flow's current plan, once there is one. */
  private static final String PLAN = "plan";

  /** Option that says whether rows are record batches, as the plan will say, too. */
  private static final String WHOLE_BATCHES = "whole-batches";

  /** Option naming the file that says what the streams of a MirrorMaker 1 do, instead of a plan. */
  private static final String STREAMS = "streams";
  /** Option naming the file with the windows that a batch query reads. */
  private static final String WINDOWS = "windows";

  private final StructType schema;

  public FlowTable(StructType schema) {
    this.schema = schema;
  }

  /** The columns that are read; a sink takes both kinds of rows. */
  public static StructType schema(CaseInsensitiveStringMap options) {
    if (options.containsKey(WINDOWS)) {
      return WindowRow.SCHEMA;
    }
    return options.getBoolean(WHOLE_BATCHES, false) ? BatchRow.SCHEMA : RecordRow.SCHEMA;
  }

  @Override
  public String name() {
    return "kmirror";
  }

  @Override
  @SuppressWarnings("deprecation") // Table.schema() is what streaming plans still ask for in Spark 4.3
  public StructType schema() {
    return schema;
  }

  @Override
  public Set<TableCapability> capabilities() {
    return EnumSet.of(
        TableCapability.MICRO_BATCH_READ, TableCapability.BATCH_READ, TableCapability.STREAMING_WRITE);
  }

  @Override
  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    String streams = options.get(STREAMS);
    if (streams != null) {
      Path file = Path.of(streams);
      return () -> new FlowScan(epoch -> StreamSlot.slots(file, epoch), schema);
    }
    if (options.containsKey(WINDOWS)) {
      Path windows = Path.of(options.get(WINDOWS));
      return () -> new WindowScan(windows);
    }
    Path plan = Path.of(options.get(PLAN));
    return () -> new FlowScan(epoch -> Plan.await(plan).slots(epoch), schema);
  }

  @Override
  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    return new FlowWrite(info.options().containsKey(STREAMS));
  }

  private record FlowScan(LongFunction<InputPartition[]> slots, StructType readSchema) implements Scan {

    @Override
    public MicroBatchStream toMicroBatchStream(String checkpointLocation) {
      return new FlowStream(slots);
    }
  }

  /** Rows are only ever added, so "update" means "append" here; real-time mode insists on "update". */
  private record FlowWrite(boolean streams) implements SupportsStreamingUpdateAsAppend, Write, StreamingWrite {
    @Override
    public Write build() {
      return this;
    }

    @Override
    public StreamingWrite toStreaming() {
      return this;
    }

    @Override
    public StreamingDataWriterFactory createStreamingWriterFactory(PhysicalWriteInfo info) {
      return streams
          ? (slot, task, epoch) -> new StreamWriter()
          : (slot, task, epoch) -> new LaneWriter();
    }

    /** Lanes fence each other through the target; Spark's referee would only refuse commits. */
    @Override
    public boolean useCommitCoordinator() {
      return false;
    }

    /** Everything was committed on the target by the lanes, long before Spark's batch ends. */
    @Override
    public void commit(long epoch, WriterCommitMessage[] messages) {}

    @Override
    public void abort(long epoch, WriterCommitMessage[] messages) {}
  }
}
