package io.kmirror.spark;

import io.kmirror.audit.Window;
import io.kmirror.audit.WindowPlan;
import io.kmirror.audit.WindowRecords;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.types.StructType;

/** Windows of one cluster as the rows of a batch query: each is read by one task, in order. */
record WindowScan(Path plan) implements Scan, Batch {

  @Override
  public StructType readSchema() {
    return WindowRow.SCHEMA;
  }

  @Override
  public Batch toBatch() {
    return this;
  }

  @Override
  public InputPartition[] planInputPartitions() {
    WindowPlan windows = WindowPlan.read(plan);
    List<InputPartition> tasks = new ArrayList<>();
    for (List<Window> task : windows.tasks()) {
      HashMap<String, String> consumer = windows.consumer();
      tasks.add(
          new WindowTask(consumer, new ArrayList<>(task), windows.bytesPerSecond(), windows.timeoutMs()));
    }
    return tasks.toArray(new InputPartition[0]);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new ReaderFactory();
  }

  private static final class ReaderFactory implements PartitionReaderFactory {
    private static final long serialVersionUID = 1L;

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
      WindowTask task = (WindowTask) partition;
      return new Reader(
          new WindowRecords(task.consumer(), task.windows(), task.bytesPerSecond(), task.timeoutMs()));
    }
  }

  private static final class Reader implements PartitionReader<InternalRow> {
    private final WindowRecords records;
    private final WindowRow row = new WindowRow();

    Reader(WindowRecords records) {
      this.records = records;
    }

    @Override
    public boolean next() {
      return records.next();
    }

    @Override
    public InternalRow get() {
      return row.at(records);
    }

    @Override
    public void close() {
      records.close();
    }
  }
}
