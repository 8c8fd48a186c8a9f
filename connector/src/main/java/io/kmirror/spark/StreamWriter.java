package io.kmirror.spark;

import io.kmirror.stream.RunningStreams;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;

/** The sink side of a stream: sends rows through the producer of the stream that the task's reader has. */
final class StreamWriter implements DataWriter<InternalRow> {
  private final long task = TaskContext.get().taskAttemptId();
  private final TopicName topic = new TopicName();

  /** The producer chooses the partition, by the key where there is one: as MirrorMaker 1 has it. */
  @Override
  public void write(InternalRow row) {
    long timestamp = row.getLong(RecordRow.TIMESTAMP);
    RunningStreams.send(
        task,
        new ProducerRecord<>(
            topic.of(row),
            null,
            timestamp < 0 ? null : timestamp,
            row.isNullAt(RecordRow.KEY) ? null : row.getBinary(RecordRow.KEY),
            row.isNullAt(RecordRow.VALUE) ? null : row.getBinary(RecordRow.VALUE),
            RecordRow.headersOf(row)));
  }

  @Override
  public WriterCommitMessage commit() {
    RunningStreams.release(task);
    return new LaneWriter.Done();
  }

  @Override
  public void abort() {
    RunningStreams.discard(task);
  }

  @Override
  public void close() {}
}
