package io.kmirror.spark;

import io.kmirror.stream.RunningStreams;
import io.kmirror.stream.Stream;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.streaming.PartitionOffset;
import org.apache.spark.sql.connector.read.streaming.SupportsRealTimeRead;
import org.apache.spark.unsafe.types.UTF8String;

/** Hands a stream's records to Spark, one row at a time, until the batch or the stream ends. */
final class StreamReader implements SupportsRealTimeRead<InternalRow> {
  private final StreamSlot slot;
  private final Stream stream;
  private final RecordRow row = new RecordRow();
  private final Map<String, UTF8String> topics = new HashMap<>();

  StreamReader(StreamSlot slot) {
    this.slot = slot;
    this.stream = RunningStreams.open(slot.settings(), slot.index(), TaskContext.get().taskAttemptId());
  }

  @Override
  public RecordStatus nextWithTimeout(Long startMs, Long timeoutMs) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    return RecordStatus.newStatusWithoutArrivalTime(next(end));
  }

  @Override
  public boolean next() {
    return next(System.nanoTime() + TimeUnit.DAYS.toNanos(1));
  }

  private boolean next(long endNanos) {
    if (stream == null || !RunningStreams.next(stream, endNanos)) {
      return false;
    }
    ConsumerRecord<byte[], byte[]> record = stream.record();
    row.at(topics.computeIfAbsent(record.topic(), UTF8String::fromString), record);
    return true;
  }

  @Override
  public InternalRow get() {
    return row;
  }

  @Override
  public PartitionOffset getOffset() {
    return new SlotOffset(slot.epoch());
  }

  /** The stream outlives the batch; see {@link RunningStreams}. */
  @Override
  public void close() {}
}
