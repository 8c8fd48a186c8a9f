package io.kmirror.batch;

import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;

/**
 * The records of a batch, one after the other. Its checksum says that it is as its producer sent it, and
 * not that it can be decompressed or taken apart: some brokers never look.
 */
public final class Unpacked implements CloseableIterator<Record> {
  private final CloseableIterator<Record> records;

  /**
   * @param batch as fetched
   * @param buffers for unpacking
   * @throws UnreadableBatchException here and in the other methods: the bytes are no records
   */
  public Unpacked(RecordBatch batch, BufferSupplier buffers) {
    try {
      this.records = batch.streamingIterator(buffers);
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
  }

  @Override
  public boolean hasNext() {
    try {
      return records.hasNext();
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
  }

  @Override
  public Record next() {
    try {
      return records.next();
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
  }

  /** Kafka's parsers throw what the bytes lead them to, and not always exceptions of their own. */
  private static RuntimeException unreadable(RuntimeException e) {
    return e instanceof InterruptException ? e : new UnreadableBatchException(e);
  }

  @Override
  public void close() {
    records.close();
  }
}
