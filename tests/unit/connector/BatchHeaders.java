package io.kmirror.batch;

import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;

/** Rewrites headers of random batches, and asks kafka-clients what it thinks of them. */
public final class BatchHeaders {
  /** What the checksum covers begins here. */
  private static final int ATTRIBUTES = 21;

  private final Random random;
  private final RandomBatches batches;

  private BatchHeaders(long seed) {
    random = new Random(seed);
    batches = new RandomBatches(random);
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
    ByteBuffer bytes = batches.any(number);
    DefaultRecordBatch before = RandomBatches.parsed(RandomBatches.copy(bytes));
    ByteBuffer damaged = RandomBatches.copy(bytes);
    long id = random.nextBoolean() ? random.nextLong() >>> 1 : random.nextInt(1000);
    short epoch = (short) random.nextInt(Short.MAX_VALUE + 1);
    int sequence = random.nextInt() & Integer.MAX_VALUE;
    boolean transactional = random.nextBoolean();

    BatchHeader.rewrite(bytes, id, epoch, sequence, transactional);
    DefaultRecordBatch after = RandomBatches.parsed(bytes);
    after.ensureValid();
    RandomBatches.equal("base offset", 0L, after.baseOffset());
    RandomBatches.equal("leader epoch", RecordBatch.NO_PARTITION_LEADER_EPOCH, after.partitionLeaderEpoch());
    RandomBatches.equal("producer", id, after.producerId());
    RandomBatches.equal("epoch", epoch, after.producerEpoch());
    RandomBatches.equal("sequence", sequence, after.baseSequence());
    RandomBatches.equal("transactional", transactional, after.isTransactional());
    RandomBatches.equal("control", before.isControlBatch(), after.isControlBatch());
    RandomBatches.equal("codec", before.compressionType(), after.compressionType());
    RandomBatches.equal("timestamp type", before.timestampType(), after.timestampType());
    RandomBatches.equal("largest timestamp", before.maxTimestamp(), after.maxTimestamp());
    RandomBatches.equal("size", before.sizeInBytes(), after.sizeInBytes());
    RandomBatches.equal("count", before.countOrNull(), after.countOrNull());
    RandomBatches.equal("last offset", before.lastOffset() - before.baseOffset(), after.lastOffset());
    RandomBatches.equal("records", RandomBatches.records(before), RandomBatches.records(after));

    // Under the new header the first producer's checksum still tells what happened before.
    int broken = ATTRIBUTES + random.nextInt(damaged.limit() - ATTRIBUTES);
    damaged.put(broken, (byte) (damaged.get(broken) ^ 1 << random.nextInt(8)));
    BatchHeader.rewrite(damaged, id, epoch, sequence, transactional);
    if (RandomBatches.parsed(damaged).isValid()) {
      throw new AssertionError("damage at " + broken + " of " + damaged.limit() + " was hidden");
    }
  }
}
