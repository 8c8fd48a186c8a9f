package io.kmirror.batch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;

/**
 * Batches of one partition in one of their codec. A request carries one batch of a partition, and a few
 * requests are on their way at a time: a queue of small batches takes as long as its round trips.
 */
public final class MergedBatch {
  public final TopicPartition target;
  private final int bytesMax;
  private final CompressionType codec;
  private final BatchMerger merger;
  private final List<Part> parts = new ArrayList<>();

  /** Receives the parts, in their order. */
  public interface Sink {
    /**
     * @param first source offset
     * @param records how many follow each other from there
     */
    void part(long first, long records);
  }

  /** What of a batch is needed when its row's memory belongs to the next one. */
  private record Part(long first, int records) {}

  /**
   * @param target where they go
   * @param first which is to be added
   * @param bytesMax how large it may get
   * @param buffers for unpacking
   */
  public MergedBatch(
      TopicPartition target, RecordBatch first, int bytesMax, BufferSupplier buffers) {
    this.bytesMax = bytesMax;
    this.target = target;
    this.codec = first.compressionType();
    this.merger =
        codec == CompressionType.NONE
            ? new SplicedBatch()
            : new BuiltBatch(codec, bytesMax, buffers);
  }

  /** Whether *batch* may follow. */
  public boolean takes(TopicPartition where, RecordBatch batch) {
    return target.equals(where)
        && (codec == batch.compressionType() || !batch.isCompressed())
        && bytesWith(batch) <= bytesMax;
  }

  /** How large it is about to be. */
  public int bytesWith(RecordBatch batch) {
    return merger.bytesWith(batch);
  }

  /** Adds a batch; false when its records are not such as can be written again. */
  public boolean add(RecordBatch batch, ByteBuffer itself) {
    int before = merger.records();
    if (!merger.add(batch, itself)) {
      return false;
    }
    parts.add(new Part(batch.baseOffset(), merger.records() - before));
    return true;
  }

  public boolean isEmpty() {
    return parts.isEmpty();
  }

  /** How many records it has. */
  public int records() {
    return merger.records();
  }

  public ByteBuffer bytes() {
    return merger.bytes();
  }

  /** Gives the source offsets that go with it. */
  public void forEachPart(Sink sink) {
    for (Part part : parts) {
      sink.part(part.first, part.records);
    }
  }

  /** The source offset that follows. */
  public long after() {
    Part last = parts.get(parts.size() - 1);
    return last.first + last.records;
  }
}
