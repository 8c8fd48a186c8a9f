package io.kmirror.batch;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.util.Random;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of random batches are rewritten without a look at the records, and kafka-clients takes them. */
final class BatchHeaderTest {
  /** What the checksum covers begins here. */
  private static final int ATTRIBUTES = 21;

  private static final int BATCHES = 3000;

  private Random random;
  private RandomBatches batches;

  /** The checksum is right, the fields are the new producer's, and the rest is as it was. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void kafkasClientsTakeARewrittenHeader(long seed) {
    random = new Random(seed);
    batches = new RandomBatches(random);
    for (int n = 0; n < BATCHES; n++) {
      check(n);
    }
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
    assertFalse(RandomBatches.parsed(damaged).isValid(), () -> "hidden damage at " + broken);
  }
}
