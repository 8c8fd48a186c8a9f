package io.kmirror.batch;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;

/**
 * Puts uncompressed batches of format v2 (KIP-98) behind each other. A record tells its offset and its
 * timestamp as distances from its batch's first ones: these two numbers are written anew, and the record's
 * length with them; attributes, key, value and headers are copied as they are, without looking.
 */
final class SplicedBatch implements BatchMerger {
  private static final int HEADER = DefaultRecordBatch.RECORD_BATCH_OVERHEAD;

  /** Mostly a few small ones are put together. */
  private static final int BYTES_FIRST = 16 * 1024;

  /** So much longer a record can get at most, by its three numbers. */
  private static final int GROWTH = 16;

  private byte[] out = new byte[BYTES_FIRST];
  private int end = HEADER;
  private int records;
  private long baseTimestamp;
  private long maxTimestamp = RecordBatch.NO_TIMESTAMP;

  // Where the next number is read; a number that does not end before `limit` makes it negative.
  private byte[] in;
  private int at;
  private int limit;

  @Override
  public boolean add(RecordBatch batch, ByteBuffer bytes) {
    long first = ((DefaultRecordBatch) batch).baseTimestamp();
    if (records == 0 && first < 0 && first != RecordBatch.NO_TIMESTAMP) {
      return false; // of before 1970: no header could be written
    }
    int room = bytesWith(batch);
    if (room > out.length) {
      out = Arrays.copyOf(out, Math.max(room, 2 * out.length));
    }
    int before = end;
    in = bytes.array();
    at = bytes.arrayOffset() + bytes.position() + HEADER;
    limit = bytes.arrayOffset() + bytes.limit();
    int count = batch.countOrNull();
    if (records == 0) {
      baseTimestamp = first;
    }
    for (int n = 0; n < count; n++) {
      if (!copyRecord(n, first - baseTimestamp)) {
        end = before;
        return false; // the target will say what it thinks of it
      }
    }
    records += count;
    maxTimestamp = Math.max(maxTimestamp, batch.maxTimestamp());
    return true;
  }

  /** Copies the record that is the *number*th of its batch; false when it is none. */
  private boolean copyRecord(int number, long later) {
    long length = readNumber();
    int until = at + (int) length;
    if (length < 1 || length > limit - at) {
      return false;
    }
    byte attributes = in[at++];
    long timestamp = readNumber() + later;
    long offset = readNumber();
    int rest = until - at;
    if (offset != number || rest < 0) {
      return false;
    }
    offset += records;
    writeNumber(1 + size(timestamp) + size(offset) + rest);
    out[end++] = attributes;
    writeNumber(timestamp);
    writeNumber(offset);
    System.arraycopy(in, at, out, end, rest);
    end += rest;
    at = until;
    return true;
  }

  /** Zigzag, seven bits to a byte, the lowest first, as in Protocol Buffers. */
  private long readNumber() {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE && at < limit; shift += 7) {
      byte next = in[at++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value >>> 1 ^ -(value & 1);
      }
    }
    at = limit;
    return -1;
  }

  private void writeNumber(long number) {
    long value = number << 1 ^ number >> Long.SIZE - 1;
    while ((value & ~0x7fL) != 0) {
      out[end++] = (byte) (value | 0x80);
      value >>>= 7;
    }
    out[end++] = (byte) value;
  }

  private static int size(long number) {
    long value = number << 1 ^ number >> Long.SIZE - 1;
    return (Long.SIZE - Long.numberOfLeadingZeros(value | 1) + 6) / 7;
  }

  @Override
  public int bytesWith(RecordBatch batch) {
    return end + batch.sizeInBytes() + GROWTH * batch.countOrNull();
  }

  @Override
  public int records() {
    return records;
  }

  @Override
  public ByteBuffer bytes() {
    ByteBuffer bytes = ByteBuffer.wrap(out, 0, end);
    DefaultRecordBatch.writeHeader(
        bytes,
        0,
        records - 1,
        end,
        RecordBatch.MAGIC_VALUE_V2,
        CompressionType.NONE,
        TimestampType.CREATE_TIME,
        baseTimestamp,
        maxTimestamp,
        RecordBatch.NO_PRODUCER_ID,
        RecordBatch.NO_PRODUCER_EPOCH,
        RecordBatch.NO_SEQUENCE,
        false,
        false,
        false,
        RecordBatch.NO_PARTITION_LEADER_EPOCH,
        records);
    return bytes.rewind();
  }
}
