package io.kmirror.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Batches as all kinds of producers leave them, and what is in them. */
final class RandomBatches {
  private final Random random;

  RandomBatches(Random random) {
    this.random = random;
  }

  /** From one empty record to some megabytes, in any codec. */
  ByteBuffer any(int number) {
    var codecs = CompressionType.values();
    int valueMax = number % 50 == 0 ? 300_000 : number % 5 == 0 ? 3_000 : 60;
    var codec = codecs[random.nextInt(codecs.length)];
    return batch(number, codec, anyType(), random.nextLong() >>> 20, valueMax);
  }

  /**
   * One that may be put together with others.
   *
   * @param baseOffset its first record's
   */
  ByteBuffer small(int number, long baseOffset) {
    int valueMax = number % 5 == 0 ? 3_000 : 60;
    ByteBuffer bytes =
        batch(number, CompressionType.NONE, TimestampType.CREATE_TIME, baseOffset, valueMax);
    return ByteBuffer.wrap(array(bytes), 3, bytes.limit()).slice();
  }

  private static byte[] array(ByteBuffer bytes) {
    byte[] array = new byte[bytes.limit() + 7]; // it does not begin where its array does
    bytes.duplicate().rewind().get(array, 3, bytes.limit());
    return array;
  }

  private TimestampType anyType() {
    return random.nextBoolean() ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME;
  }

  private ByteBuffer batch(
      int number, CompressionType codec, TimestampType type, long baseOffset, int valueMax) {
    int count = 1 + random.nextInt(number % 10 == 0 ? 2000 : 20);
    boolean sequenced = random.nextBoolean();
    var builder =
        MemoryRecords.builder(
            ByteBuffer.allocate(1024),
            RecordBatch.CURRENT_MAGIC_VALUE,
            Compression.of(codec).build(),
            type,
            baseOffset,
            random.nextLong() >>> 20,
            sequenced ? random.nextInt(100) : RecordBatch.NO_PRODUCER_ID,
            sequenced ? (short) 3 : RecordBatch.NO_PRODUCER_EPOCH,
            sequenced ? random.nextInt(1000) : RecordBatch.NO_SEQUENCE,
            sequenced && random.nextBoolean(),
            random.nextInt(50));
    for (int n = 0; n < (valueMax > 100_000 ? Math.min(count, 15) : count); n++) {
      Header[] headers = {new RecordHeader("h", bytes(5)), new RecordHeader("h", null)};
      byte[] key = random.nextBoolean() ? bytes(20) : null;
      byte[] value = random.nextBoolean() ? bytes(valueMax) : null;
      builder.append(random.nextLong() >>> random.nextInt(1, 64), key, value, headers);
    }
    ByteBuffer built = builder.build().buffer();
    // The producer's pool gives more memory than a batch needs, in either kind of buffer.
    int room = built.remaining() + random.nextInt(100);
    ByteBuffer memory = random.nextBoolean() ? ByteBuffer.allocate(room) : ByteBuffer.allocateDirect(room);
    return memory.put(built).flip();
  }

  private byte[] bytes(int max) {
    byte[] bytes = new byte[random.nextInt(max + 1)];
    random.nextBytes(bytes);
    return bytes;
  }

  static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  static DefaultRecordBatch parsed(ByteBuffer bytes) {
    return (DefaultRecordBatch) MemoryRecords.readableRecords(bytes).batches().iterator().next();
  }

  /** Everything that consumers see, and where it is in its batch. */
  static List<String> records(DefaultRecordBatch batch) {
    List<String> all = new ArrayList<>();
    for (Record record : batch) {
      all.add((record.offset() - batch.baseOffset()) + " " + content(record));
    }
    return all;
  }

  /** Everything that consumers see. */
  static String content(Record record) {
    return record.timestamp() + " " + content(record.key()) + " " + content(record.value()) + " "
        + List.of(record.headers());
  }

  private static String content(ByteBuffer bytes) {
    return bytes == null ? "null" : bytes.remaining() + ":" + bytes.hashCode();
  }

  static void equal(String what, Object wanted, Object found) {
    assertEquals(wanted, found, what);
  }
}
