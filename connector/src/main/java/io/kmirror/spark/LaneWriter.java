package io.kmirror.spark;

import io.kmirror.lane.Lane;
import io.kmirror.lane.Lanes;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** The sink side of a task: sends rows down the lane that the task's reader opened. */
final class LaneWriter implements DataWriter<InternalRow> {
  private final long task = TaskContext.get().taskAttemptId();
  private final TopicName topic = new TopicName();
  private Lane lane;

  /** Nothing to tell: the lane committed on the target. Spark ships this between processes. */
  record Done() implements WriterCommitMessage {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public void write(InternalRow row) {
    if (lane().settings.wholeBatches()) {
      lane.packer().send(topic.of(row), row.getInt(BatchRow.PARTITION), row.getLong(BatchRow.BATCH));
    } else {
      writeRecord(row);
    }
  }

  private void writeRecord(InternalRow row) {
    long timestamp = row.getLong(RecordRow.TIMESTAMP);
    lane().packer().send(
        topic.of(row),
        row.getInt(RecordRow.PARTITION),
        timestamp < 0 ? null : timestamp,
        row.isNullAt(RecordRow.KEY) ? null : row.getBinary(RecordRow.KEY),
        row.isNullAt(RecordRow.VALUE) ? null : row.getBinary(RecordRow.VALUE),
        RecordRow.headersOf(row));
  }

  private Lane lane() {
    if (lane == null) {
      lane = Lanes.ofTask(task);
    }
    return lane;
  }

  @Override
  public WriterCommitMessage commit() {
    Lanes.release(task);
    return new Done();
  }

  @Override
  public void abort() {
    Lanes.discard(task);
  }

  @Override
  public void close() {}
}
