package io.kmirror.lane;

import io.kmirror.batch.MergedBatch;
import io.kmirror.batch.Packing;
import io.kmirror.batch.Unpacked;
import io.kmirror.batch.UnreadableBatchException;
import io.kmirror.tuning.Tuning;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.Utils;

/** Puts what an {@link Intake} has handed out into a {@link TargetWriter}: records, or batches in one of three ways. */
public final class Packer implements AutoCloseable {
  private final Tuning.Batches tuning;
  private final long lateNanos;
  private final Intake intake;
  private final TargetWriter writer;
  private final DeadLetters letters;
  private final Failures failures;
  private final BufferSupplier buffers = BufferSupplier.create();
  private MergedBatch merged;
  private SourcePartition mergedFrom;

  Packer(Tuning.Batches tuning, Intake intake, TargetWriter writer, DeadLetters letters, Failures failures) {
    this.tuning = tuning;
    this.lateNanos = TimeUnit.MILLISECONDS.toNanos(tuning.lateMs());
    this.intake = intake;
    this.writer = writer;
    this.letters = letters;
    this.failures = failures;
  }

  /** Sends the record that was handed out last, or what a projection made of it. */
  public void send(String topic, int partition, Long timestamp, byte[] key, byte[] value, Headers headers) {
    send(intake.record().offset(), new ProducerRecord<>(topic, partition, timestamp, key, value, headers));
  }

  private void send(long offset, ProducerRecord<byte[], byte[]> record) {
    if (failures.any()) {
      return; // the transaction is lost already, and copied again from the committed positions
    }
    SourcePartition current = intake.current();
    if (current.refused.causeOf(offset) != null) {
      letters.leaveOut(current, offset, record, intake.batch());
      return;
    }
    current.sent(offset, 1);
    try {
      begin(current);
      if (current.refused.suspects(offset)) {
        writer.target().sendAlone(record, failures::any, current.callback(offset));
      } else {
        writer.target().send(record, current.callback(offset));
      }
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      failures.add(new Failures.Failure(current, offset, Failures.UNKNOWN_OFFSET, e));
    }
  }

  /**
   * Sends the batch that was handed out last: as it is, with others in one, or record by record.
   *
   * @param number its {@link Intake#number}; the memory of an earlier one has another one's bytes by now
   */
  public void send(String topic, int partition, long number) {
    if (number != intake.number()) {
      throw new IllegalStateException("batch " + number + " comes when " + intake.number() + " is handed out");
    }
    if (failures.any()) {
      return;
    }
    SourcePartition current = intake.current();
    TopicPartition target = new TopicPartition(topic, partition);
    RecordBatch batch = intake.batch();
    ByteBuffer bytes = intake.bytes().duplicate();
    Packing packing = packing(current, topic, batch);
    if (packing == Packing.WHOLE && queues(current, target, batch) && merge(current, target, batch, bytes)) {
      current.counts.packed(Packing.QUEUED);
      return;
    }
    flush();
    if (packing == Packing.WHOLE) {
      sendWhole(current, target, batch, bytes);
    } else {
      unpack(current, target, batch);
    }
  }

  /** What the batch itself says, then what the target and the link to it say of one that could go whole. */
  private Packing packing(SourcePartition current, String topic, RecordBatch batch) {
    Packing packing = current.packing(batch, intake.from());
    Target target = writer.target();
    if (packing != Packing.WHOLE) {
      return packing;
    }
    if (target.compressesAnew(batch)) {
      packing = Packing.COMPRESSED_ANEW;
    } else if (target.tooLarge(topic, batch.sizeInBytes())) {
      packing = Packing.TOO_LARGE;
    } else if (target.tooSlow(batch.sizeInBytes())) {
      packing = Packing.TOO_SLOW;
    } else {
      return packing;
    }
    current.counts.packed(packing);
    return packing;
  }

  private void sendWhole(SourcePartition current, TopicPartition target, RecordBatch batch, ByteBuffer bytes) {
    int records = batch.countOrNull();
    current.sent(batch.baseOffset(), records);
    send(current, target, bytes, records, batch.nextOffset());
    current.counts.addWhole(batch, records);
  }

  private void send(
      SourcePartition current, TopicPartition target, ByteBuffer bytes, int records, long after) {
    try {
      begin(current);
      current.awaitAnswer(
          writer.target().send(target, bytes, records, current.callback(records, after)));
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      failures.add(new Failures.Failure(current, Failures.UNKNOWN_OFFSET, after, e));
    }
  }

  /** Before the first record: an epoch that is asked for later may have lost what was acknowledged before. */
  private void begin(SourcePartition current) {
    if (current.isFresh()) {
      current.begin(writer.target().leaderEpoch(current.target));
    }
  }

  private void unpack(SourcePartition current, TopicPartition target, RecordBatch batch) {
    try (Unpacked records = new Unpacked(batch, buffers)) {
      while (records.hasNext()) {
        Record record = records.next();
        if (record.offset() >= intake.from() && !current.ends(record.offset())) {
          current.counts.addRecord(record);
          Long timestamp = record.timestamp() < 0 ? null : record.timestamp();
          byte[] key = Utils.toNullableArray(record.key());
          byte[] value = Utils.toNullableArray(record.value());
          Headers headers = new RecordHeaders(record.headers());
          send(
              record.offset(),
              new ProducerRecord<>(target.topic(), target.partition(), timestamp, key, value, headers));
        }
      }
    } catch (UnreadableBatchException e) {
      failures.add(new Failures.Failure(current, batch.lastOffset(), Failures.UNKNOWN_OFFSET, e));
    }
  }

  /**
   * Whether a batch would have to wait for others of its partition, and is small for that. To put
   * uncompressed ones together costs less than what the target pays for each; others have to be compressed
   * again. Small ones that came in one answer go on in one request, unless that means to compress.
   */
  private boolean queues(SourcePartition current, TopicPartition target, RecordBatch batch) {
    int size = batch.sizeInBytes();
    boolean waits = current.unansweredBatches() >= tuning.unansweredMax();
    if (size < tuning.smallBytes()) {
      return waits
          || merged != null && mergedFrom == current && merged.takes(target, batch)
          || intake.hasMore() && !batch.isCompressed();
    }
    return waits
        && size <= tuning.partBytesMax()
        && (!batch.isCompressed() || writer.target().far() || current.isAnsweredLate(lateNanos));
  }

  private boolean merge(
      SourcePartition current, TopicPartition target, RecordBatch batch, ByteBuffer bytes) {
    if (merged != null && (mergedFrom != current || !fits(merged, target, batch))) {
      flush();
    }
    if (merged == null) {
      mergedFrom = current;
      merged = new MergedBatch(target, batch, tuning.mergedBytesMax(), buffers);
    }
    int before = merged.records();
    if (!merged.add(batch, bytes)) {
      return false;
    }
    current.counts.addBatch(batch, merged.records() - before);
    return true;
  }

  private boolean fits(MergedBatch merging, TopicPartition target, RecordBatch batch) {
    return merging.takes(target, batch)
        && !writer.target().tooLarge(target.topic(), merging.bytesWith(batch));
  }

  /** Sends what waits for others to be put together with. */
  void flush() {
    MergedBatch ready = merged;
    merged = null;
    if (ready == null || ready.isEmpty()) {
      return;
    }
    ready.forEachPart(mergedFrom::sent);
    send(mergedFrom, ready.target, ready.bytes(), ready.records(), ready.after());
  }

  /** Forgets what was not sent: the transaction is lost. */
  void clear() {
    merged = null;
  }

  @Override
  public void close() {
    buffers.close();
  }
}
