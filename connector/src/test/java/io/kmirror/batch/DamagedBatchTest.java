package io.kmirror.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** Where the source goes on behind a batch that cannot be trusted. */
final class DamagedBatchTest {
  private static final int LAST_OFFSET_DELTA = 23;

  private static ByteBuffer bytes(long base) {
    SimpleRecord[] records = {new SimpleRecord("a".getBytes()), new SimpleRecord("b".getBytes())};
    return MemoryRecords.withRecords(base, Compression.NONE, records).buffer();
  }

  private static RecordBatch batch(ByteBuffer bytes) {
    return MemoryRecords.readableRecords(bytes).batches().iterator().next();
  }

  private static RecordBatch with(long base, int at, int value) {
    ByteBuffer bytes = bytes(base);
    bytes.putInt(at, value);
    return batch(bytes);
  }

  @Test
  void whereTheNextOneBegins() {
    RecordBatch damaged = with(10, LAST_OFFSET_DELTA, 1_000_000);
    assertEquals(12, DamagedBatch.end(damaged, batch(bytes(12))));
    assertEquals(15, DamagedBatch.end(damaged, batch(bytes(15))));
  }

  @Test
  void whereItSaysItselfIfItsHeaderAgrees() {
    RecordBatch damaged = batch(bytes(10));
    assertEquals(12, DamagedBatch.end(damaged, null));
    assertEquals(12, DamagedBatch.end(damaged, with(12, LAST_OFFSET_DELTA, 9)));
  }

  /** Before format v2 only the records of a batch tell where it begins, and they may not be readable. */
  @Test
  void oldFormatsDoNotSayWhereTheyBegin() {
    SimpleRecord[] records = {new SimpleRecord("a".repeat(100).getBytes()), new SimpleRecord("b".getBytes())};
    ByteBuffer bytes =
        MemoryRecords.withRecords(RecordBatch.MAGIC_VALUE_V1, 10, Compression.gzip().build(), records).buffer();
    assertEquals(10, batch(bytes).baseOffset());
    int last = bytes.limit() - 20;
    bytes.put(last, (byte) (bytes.get(last) ^ 1));
    RecordBatch damaged = batch(bytes);
    assertThrows(KafkaException.class, damaged::ensureValid);
    assertEquals(9, DamagedBatch.start(damaged, 9));
    assertEquals(12, DamagedBatch.end(damaged, batch(bytes(12))));
    assertEquals(DamagedBatch.UNKNOWN, DamagedBatch.end(damaged, null));
    assertEquals(10, DamagedBatch.start(batch(bytes(10)), 9));
  }

  @Test
  void nobodyKnows() {
    RecordBatch damaged = with(10, LAST_OFFSET_DELTA, 1_000_000);
    assertEquals(DamagedBatch.UNKNOWN, DamagedBatch.end(damaged, null));
    assertEquals(DamagedBatch.UNKNOWN, DamagedBatch.end(damaged, with(12, LAST_OFFSET_DELTA, 9)));
    assertEquals(DamagedBatch.UNKNOWN, DamagedBatch.end(damaged, batch(bytes(10))));
  }
}
