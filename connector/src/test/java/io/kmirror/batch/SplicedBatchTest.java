package io.kmirror.batch;

import static io.kmirror.batch.RandomBatches.content;
import static io.kmirror.batch.RandomBatches.copy;
import static io.kmirror.batch.RandomBatches.equal;
import static io.kmirror.batch.RandomBatches.parsed;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Uncompressed batches are put together without a look at keys and values; kafka-clients reads the result. */
final class SplicedBatchTest {
  private static final int BATCHES = 100;
  private static final int BASE_TIMESTAMP = 27;

  private Random random;
  private RandomBatches batches;

  /**
   * Offsets without gaps; timestamps, keys, values and headers as they were; a valid checksum. What is no
   * batch is not taken, and leaves what was put together before as it was.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void theRecordsAreTheSame(long seed) {
    random = new Random(seed);
    batches = new RandomBatches(random);
    for (int n = 0; n < BATCHES; n++) {
      check(n);
    }
  }

  /** Clients may write such times, but no header of a batch could be made that begins with one. */
  @Test
  void whatIsOlderThan1970BeginsNone() {
    random = new Random(1);
    batches = new RandomBatches(random);
    ByteBuffer old = copy(batches.small(1, 10));
    old.putLong(BASE_TIMESTAMP, -5_000);
    equal("begins one", false, new SplicedBatch().add(parsed(old), old));
    var spliced = new SplicedBatch();
    ByteBuffer first = batches.small(2, 0);
    equal("taken", true, spliced.add(parsed(first), first));
    equal("follows", true, spliced.add(parsed(old), old));
    List<Long> times = new ArrayList<>();
    parsed(copy(spliced.bytes())).forEach(record -> times.add(record.timestamp()));
    List<Long> wanted = new ArrayList<>();
    parsed(first).forEach(record -> wanted.add(record.timestamp()));
    parsed(old).forEach(record -> wanted.add(record.timestamp()));
    equal("times", wanted, times);
  }

  private void check(int number) {
    var spliced = new SplicedBatch();
    List<String> wanted = new ArrayList<>();
    long latest = RecordBatch.NO_TIMESTAMP;
    long baseOffset = random.nextLong() >>> 20;
    for (int part = 0; part < 1 + number % 30; part++) {
      ByteBuffer bytes = batches.small(number + part, baseOffset);
      DefaultRecordBatch batch = parsed(bytes);
      equal("no record taken", false, spliced.add(batch, cutShort(bytes)));
      new SplicedBatch().add(batch, flipped(bytes)); // whatever comes of it, it ends
      int most = spliced.bytesWith(batch);
      equal("taken", true, spliced.add(batch, bytes));
      equal("not larger than it says", true, spliced.bytes().remaining() <= most);
      for (Record record : batch) {
        wanted.add(wanted.size() + " " + content(record));
      }
      latest = Math.max(latest, batch.maxTimestamp());
      baseOffset = batch.nextOffset();
    }
    DefaultRecordBatch joined = parsed(copy(spliced.bytes()));
    joined.ensureValid();
    equal("records", wanted, RandomBatches.records(joined));
    equal("count", wanted.size(), joined.countOrNull());
    equal("told", wanted.size(), spliced.records());
    equal("last offset", wanted.size() - 1L, joined.lastOffset());
    equal("largest timestamp", latest, joined.maxTimestamp());
    equal("compressed", false, joined.isCompressed());
    equal("control", false, joined.isControlBatch() || joined.isTransactional());
  }

  /** Its last record is longer than what is left. */
  private ByteBuffer cutShort(ByteBuffer bytes) {
    return bytes.slice(0, bytes.limit() - 1 - random.nextInt(2));
  }

  private ByteBuffer flipped(ByteBuffer bytes) {
    ByteBuffer copy = copy(bytes);
    int header = DefaultRecordBatch.RECORD_BATCH_OVERHEAD;
    int at = header + random.nextInt(copy.limit() - header);
    return copy.put(at, (byte) (copy.get(at) ^ 1 << random.nextInt(8)));
  }
}
