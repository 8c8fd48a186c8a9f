package io.kmirror;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;

/**
 * Batches of one partition in one of their codec. A request carries one batch of a partition, and a few
 * requests are on their way at a time: a queue of small batches takes as long as its round trips.
 */
final class MergedBatch {
  /** As large as the batches of a producer that is set up for throughput. */
  static final int BYTES_MAX = 256 * 1024;

  /** Larger batches gain too little. */
  static final int PART_BYTES_MAX = BYTES_MAX / 2;

  final SourcePartition partition;
  final TopicPartition target;
  private final CompressionType codec;
  private final MemoryRecordsBuilder builder;
  private final List<Part> parts = new ArrayList<>();
  private int partBytes;

  /** What of a batch is needed when its row's memory belongs to the next one. */
  private record Part(long first, int records) {}

  /**
   * @param partition whose batches
   * @param target where they go
   * @param first which is to be added
   */
  MergedBatch(SourcePartition partition, TopicPartition target, RecordBatch first) {
    this.partition = partition;
    this.target = target;
    this.codec = first.compressionType();
    this.builder =
        MemoryRecords.builder(
            ByteBuffer.allocate(BYTES_MAX), Compression.of(codec).build(), TimestampType.CREATE_TIME, 0);
  }

  /** Whether *batch* may follow. */
  boolean takes(TopicPartition where, RecordBatch batch) {
    return target.equals(where)
        && (codec == batch.compressionType() || !batch.isCompressed())
        && bytesWith(batch) <= BYTES_MAX;
  }

  /** How large it is about to be. */
  int bytesWith(RecordBatch batch) {
    return partBytes + batch.sizeInBytes();
  }

  /** The records of *batch*; none when they are not such as can be written again. */
  static List<Record> recordsOf(RecordBatch batch, BufferSupplier buffers) {
    List<Record> records = new ArrayList<>();
    try (CloseableIterator<Record> each = batch.streamingIterator(buffers)) {
      while (each.hasNext()) {
        Record record = each.next();
        if (record.timestamp() < 0) {
          return List.of();
        }
        records.add(record);
      }
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      return List.of(); // the target will say what it thinks of it
    }
    return records;
  }

  void add(RecordBatch batch, List<Record> records) {
    for (Record record : records) {
      builder.append(record.timestamp(), record.key(), record.value(), record.headers());
    }
    parts.add(new Part(batch.baseOffset(), records.size()));
    partBytes += batch.sizeInBytes();
  }

  /** How many records it has. */
  int records() {
    return builder.numRecords();
  }

  ByteBuffer bytes() {
    return builder.build().buffer();
  }

  /** Which source offsets are on their way with it. */
  void sent() {
    parts.forEach(part -> partition.sent(part.first, part.records));
  }

  /** The source offset that follows. */
  long after() {
    Part last = parts.get(parts.size() - 1);
    return last.first + last.records;
  }
}
