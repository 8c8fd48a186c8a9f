package io.kmirror.batch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;

/** Takes batches apart and compresses their records together. */
final class BuiltBatch implements BatchMerger {
  private final BufferSupplier buffers;
  private final MemoryRecordsBuilder builder;
  private int bytes;

  /**
   * @param codec of the batch that is made
   * @param bytesExpected of all that will be added
   * @param buffers for unpacking
   */
  BuiltBatch(CompressionType codec, int bytesExpected, BufferSupplier buffers) {
    this.buffers = buffers;
    this.builder =
        MemoryRecords.builder(
            ByteBuffer.allocate(bytesExpected),
            Compression.of(codec).build(),
            TimestampType.CREATE_TIME,
            0);
  }

  @Override
  public boolean add(RecordBatch batch, ByteBuffer itself) {
    List<Record> all = recordsOf(batch);
    for (Record record : all) {
      builder.append(record.timestamp(), record.key(), record.value(), record.headers());
    }
    bytes += batch.sizeInBytes();
    return !all.isEmpty();
  }

  private List<Record> recordsOf(RecordBatch batch) {
    List<Record> all = new ArrayList<>();
    try (Unpacked each = new Unpacked(batch, buffers)) {
      while (each.hasNext()) {
        Record record = each.next();
        if (record.timestamp() < 0) {
          return List.of(); // Kafka's builder takes none of those
        }
        all.add(record);
      }
    } catch (UnreadableBatchException e) {
      return List.of(); // the target will say what it thinks of it
    }
    return all;
  }

  @Override
  public int bytesWith(RecordBatch batch) {
    return bytes + batch.sizeInBytes();
  }

  @Override
  public int records() {
    return builder.numRecords();
  }

  @Override
  public ByteBuffer bytes() {
    return builder.build().buffer();
  }
}
