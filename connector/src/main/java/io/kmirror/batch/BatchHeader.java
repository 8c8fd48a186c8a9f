package io.kmirror.batch;

import java.nio.ByteBuffer;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.utils.Crc32C;

/**
 * The 61 bytes in front of a record batch of format v2 (KIP-98), rewritten in place for another producer.
 *
 * <p>The checksum covers the records too, but they need not be read: a CRC is linear, so that what
 * changes in the header changes it by an amount that depends on the change and the records' length only.
 * The records stay under the checksum that their first producer made.
 */
final class BatchHeader {
  static final int SIZE = DefaultRecordBatch.RECORD_BATCH_OVERHEAD;

  private static final int BASE_OFFSET = 0;
  private static final int PARTITION_LEADER_EPOCH = 12;
  private static final int CRC = 17;
  private static final int ATTRIBUTES = 21; // what the checksum covers begins here
  private static final int PRODUCER_ID = 43;
  private static final int PRODUCER_EPOCH = 51;
  private static final int BASE_SEQUENCE = 53;

  private static final int TRANSACTIONAL = 1 << 4;
  private static final int NO_LEADER_EPOCH = -1;

  private BatchHeader() {}

  /**
   * Makes a fetched batch one that its new producer could have built.
   *
   * @param batch all of it, from index 0 to its limit
   * @param transactional whether it belongs to a transaction of the new producer
   */
  static void rewrite(
      ByteBuffer batch, long producerId, short producerEpoch, int baseSequence, boolean transactional) {
    int before = headerChecksum(batch);
    int attributes = batch.getShort(ATTRIBUTES) & ~TRANSACTIONAL;
    batch.putLong(BASE_OFFSET, 0);
    batch.putInt(PARTITION_LEADER_EPOCH, NO_LEADER_EPOCH);
    batch.putShort(ATTRIBUTES, (short) (transactional ? attributes | TRANSACTIONAL : attributes));
    batch.putLong(PRODUCER_ID, producerId);
    batch.putShort(PRODUCER_EPOCH, producerEpoch);
    batch.putInt(BASE_SEQUENCE, baseSequence);
    int change = before ^ headerChecksum(batch);
    batch.putInt(CRC, batch.getInt(CRC) ^ shifted(change, batch.limit() - SIZE));
  }

  private static int headerChecksum(ByteBuffer batch) {
    return (int) Crc32C.compute(batch, ATTRIBUTES, SIZE - ATTRIBUTES);
  }

  /** x^(8 * 2^n) modulo the Castagnoli polynomial, bits reflected: what 2^n zero bytes multiply by. */
  private static final int[] ZEROS = zeros();

  private static final int POLYNOMIAL = 0x82F63B78;
  private static final int ONE = 1 << 31;

  private static int[] zeros() {
    int[] powers = new int[Integer.SIZE];
    powers[0] = ONE >>> Byte.SIZE;
    for (int n = 1; n < powers.length; n++) {
      powers[n] = product(powers[n - 1], powers[n - 1]);
    }
    return powers;
  }

  /** The checksum's change after *length* bytes that did not change. */
  private static int shifted(int change, int length) {
    int result = change;
    for (int n = 0; length >>> n != 0; n++) {
      if ((length >>> n & 1) != 0) {
        result = product(ZEROS[n], result);
      }
    }
    return result;
  }

  /** Multiplies two polynomials over GF(2), bits reflected. */
  private static int product(int a, int b) {
    int sum = 0;
    int term = b;
    for (int bit = ONE; bit != 0; bit >>>= 1) {
      if ((a & bit) != 0) {
        sum ^= term;
      }
      term = (term & 1) != 0 ? term >>> 1 ^ POLYNOMIAL : term >>> 1;
    }
    return sum;
  }
}
