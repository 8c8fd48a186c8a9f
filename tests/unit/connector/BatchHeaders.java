package io.kmirror;

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

/** Rewrites headers of random batches, and asks kafka-clients what it thinks of them. */
public final class BatchHeaders {
  /** What the checksum covers begins here. */
  private static final int ATTRIBUTES = 21;

  private final Random random;

  private BatchHeaders(long seed) {
    random = new Random(seed);
  }

  public static void main(String[] args) {
    int count = Integer.parseInt(args[1]);
    var headers = new BatchHeaders(Long.parseLong(args[0]));
    for (int n = 0; n < count; n++) {
      headers.check(n);
    }
    System.out.println(count + " batches");
  }

  private void check(int number) {
    ByteBuffer bytes = batch(number);
    DefaultRecordBatch before = parsed(copy(bytes));
    ByteBuffer damaged = copy(bytes);
    long id = random.nextBoolean() ? random.nextLong() >>> 1 : random.nextInt(1000);
    short epoch = (short) random.nextInt(Short.MAX_VALUE + 1);
    int sequence = random.nextInt() & Integer.MAX_VALUE;
    boolean transactional = random.nextBoolean();

    BatchHeader.rewrite(bytes, id, epoch, sequence, transactional);
    DefaultRecordBatch after = parsed(bytes);
    after.ensureValid();
    equal("base offset", 0L, after.baseOffset());
    equal("leader epoch", RecordBatch.NO_PARTITION_LEADER_EPOCH, after.partitionLeaderEpoch());
    equal("producer", id, after.producerId());
    equal("epoch", epoch, after.producerEpoch());
    equal("sequence", sequence, after.baseSequence());
    equal("transactional", transactional, after.isTransactional());
    equal("control", before.isControlBatch(), after.isControlBatch());
    equal("codec", before.compressionType(), after.compressionType());
    equal("timestamp type", before.timestampType(), after.timestampType());
    equal("largest timestamp", before.maxTimestamp(), after.maxTimestamp());
    equal("size", before.sizeInBytes(), after.sizeInBytes());
    equal("count", before.countOrNull(), after.countOrNull());
    equal("last offset", before.lastOffset() - before.baseOffset(), after.lastOffset());
    equal("records", records(before), records(after));

    // Under the new header the first producer's checksum still tells what happened before.
    int broken = ATTRIBUTES + random.nextInt(damaged.limit() - ATTRIBUTES);
    damaged.put(broken, (byte) (damaged.get(broken) ^ 1 << random.nextInt(8)));
    BatchHeader.rewrite(damaged, id, epoch, sequence, transactional);
    if (parsed(damaged).isValid()) {
      throw new AssertionError("damage at " + broken + " of " + damaged.limit() + " was hidden");
    }
  }

  /** From one empty record to some megabytes. */
  private ByteBuffer batch(int number) {
    var codecs = CompressionType.values();
    var codec = Compression.of(codecs[random.nextInt(codecs.length)]).build();
    int count = 1 + random.nextInt(number % 10 == 0 ? 2000 : 20);
    int valueMax = number % 50 == 0 ? 300_000 : number % 5 == 0 ? 3_000 : 60;
    boolean sequenced = random.nextBoolean();
    var builder =
        MemoryRecords.builder(
            ByteBuffer.allocate(1024),
            RecordBatch.CURRENT_MAGIC_VALUE,
            codec,
            random.nextBoolean() ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME,
            random.nextLong() >>> 2,
            random.nextLong() >>> 20,
            sequenced ? random.nextInt(100) : RecordBatch.NO_PRODUCER_ID,
            sequenced ? (short) 3 : RecordBatch.NO_PRODUCER_EPOCH,
            sequenced ? random.nextInt(1000) : RecordBatch.NO_SEQUENCE,
            sequenced && random.nextBoolean(),
            random.nextInt(50));
    for (int n = 0; n < (valueMax > 100_000 ? Math.min(count, 15) : count); n++) {
      Header[] headers = {new RecordHeader("h", bytes(5)), new RecordHeader("h", null)};
      byte[] key = random.nextBoolean() ? bytes(20) : null;
      builder.append(random.nextInt(1 << 30), key, random.nextBoolean() ? bytes(valueMax) : null, headers);
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

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  private static DefaultRecordBatch parsed(ByteBuffer bytes) {
    return (DefaultRecordBatch) MemoryRecords.readableRecords(bytes).batches().iterator().next();
  }

  private static List<String> records(DefaultRecordBatch batch) {
    List<String> all = new ArrayList<>();
    for (Record record : batch) {
      all.add(
          (record.offset() - batch.baseOffset()) + " " + record.timestamp() + " " + content(record.key())
              + " " + content(record.value()) + " " + List.of(record.headers()));
    }
    return all;
  }

  private static String content(ByteBuffer bytes) {
    return bytes == null ? "null" : bytes.remaining() + ":" + bytes.hashCode();
  }

  private static void equal(String what, Object wanted, Object found) {
    if (!wanted.equals(found)) {
      throw new AssertionError(what + ": " + found + ", wanted " + wanted);
    }
  }
}
