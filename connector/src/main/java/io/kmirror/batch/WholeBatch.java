package io.kmirror.batch;

import java.nio.ByteBuffer;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.ByteBufferOutputStream;

/**
 * A record batch that is built already, for a producer that believes to build it. The producer's part is
 * to choose id, epoch and sequence; only the header is written.
 */
public final class WholeBatch extends MemoryRecordsBuilder {
  private final ByteBuffer bytes;
  private boolean takesRecord = true;
  private MemoryRecords records;

  /**
   * @param bytes the batch, from index 0 to its limit, in memory of the producer's pool
   */
  public WholeBatch(ByteBuffer bytes) {
    super(
        new ByteBufferOutputStream(bytes),
        RecordBatch.CURRENT_MAGIC_VALUE,
        Compression.NONE,
        TimestampType.CREATE_TIME,
        0,
        RecordBatch.NO_TIMESTAMP,
        RecordBatch.NO_PRODUCER_ID,
        RecordBatch.NO_PRODUCER_EPOCH,
        RecordBatch.NO_SEQUENCE,
        false,
        false,
        RecordBatch.NO_PARTITION_LEADER_EPOCH,
        bytes.limit());
    this.bytes = bytes.duplicate().rewind();
  }

  /** One record stands for all: it carries the callback. */
  @Override
  public boolean hasRoomFor(long timestamp, byte[] key, byte[] value, Header[] headers) {
    return takesRecord;
  }

  @Override
  public void append(long timestamp, byte[] key, byte[] value, Header[] headers) {
    takesRecord = false;
  }

  /** The producer would split too large a batch of format v2 record by record; this one just fails. */
  @Override
  public byte magic() {
    return RecordBatch.MAGIC_VALUE_V1;
  }

  @Override
  public boolean isFull() {
    return true;
  }

  @Override
  public int estimatedSizeInBytes() {
    return bytes.limit();
  }

  @Override
  public void reopenAndRewriteProducerState(
      long producerId, short producerEpoch, int baseSequence, boolean isTransactional) {
    super.reopenAndRewriteProducerState(producerId, producerEpoch, baseSequence, isTransactional);
    records = null;
  }

  @Override
  public void close() {
    if (records == null) {
      closeForRecordAppends();
      BatchHeader.rewrite(bytes, producerId(), producerEpoch(), baseSequence(), isTransactional());
      records = MemoryRecords.readableRecords(bytes);
    }
  }

  @Override
  public boolean isClosed() {
    return records != null;
  }

  @Override
  public MemoryRecords build() {
    close();
    return records;
  }
}
