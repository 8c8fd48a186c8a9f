package io.kmirror.lane;

import io.kmirror.batch.DamagedBatch;
import io.kmirror.driver.LeftOut;
import io.kmirror.driver.Parking;
import io.kmirror.driver.Settings;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Utils;

/**
 * Has a copy go on without what it cannot copy. Where that is to be kept, it is written in the transaction
 * that moves the position behind it.
 */
final class DeadLetters {
  private final Settings settings;
  private final TargetWriter writer;
  private final Failures failures;

  DeadLetters(Settings settings, TargetWriter writer, Failures failures) {
    this.settings = settings;
    this.writer = writer;
    this.failures = failures;
  }

  /** Leaves out a record that the target has refused; *batch* is the one that it came in. */
  void leaveOut(SourcePartition from, long offset, ProducerRecord<byte[], byte[]> record, RecordBatch batch) {
    Exception cause = from.refused.causeOf(offset);
    String reason = DeadLetter.reason(cause, record.key() != null);
    long letter = LeftOut.NO_LETTER;
    if (from.refused.isKept()) {
      long timestamp = record.timestamp() == null ? RecordBatch.NO_TIMESTAMP : record.timestamp();
      letter =
          send(
              from,
              offset,
              letter(from, offset, offset + 1)
                  .of(record.key(), record.value(), record.headers().toArray())
                  .at(timestamp, batch.timestampType().name())
                  .because(reason, cause));
    }
    Parking parking = Parking.recordRefused(offset, cause);
    from.refused.leaveOut(new LeftOut(parking, reason, offset + 1, Target.size(record), letter));
  }

  /** Leaves out a batch that cannot be read; what follows it is at source offset *end*. */
  void leaveOut(SourcePartition from, RecordBatch batch, ByteBuffer bytes, long end, Exception cause) {
    if (failures.any()) {
      return; // it comes again
    }
    long offset = Math.max(from.next(), DamagedBatch.start(batch, from.next()));
    long letter = LeftOut.NO_LETTER;
    if (from.refused.isKept()) {
      letter =
          send(
              from,
              offset,
              letter(from, offset, end)
                  .of(null, Utils.toArray(bytes), new Header[0])
                  .because(DeadLetter.DAMAGED, cause));
    }
    Parking parking = Parking.damagedBatch(offset, cause);
    from.refused.leaveOut(new LeftOut(parking, DeadLetter.DAMAGED, end, bytes.remaining(), letter));
  }

  private DeadLetter letter(SourcePartition from, long offset, long end) {
    return new DeadLetter(settings.flow(), from.share, offset, end);
  }

  /** Sends it, waits for the answer, and gives its offset; if it failed, that is the transaction's end. */
  private long send(SourcePartition from, long offset, DeadLetter letter) {
    Target target = writer.target();
    String topic = settings.dlqTopic();
    AtomicLong at = new AtomicLong(LeftOut.NO_LETTER);
    try {
      target.sendAlone(
          letter.record(topic, target.recordBytesMax(topic)),
          failures::any,
          (metadata, e) -> {
            if (e == null) {
              at.set(metadata.offset());
            } else {
              failed(from, offset, e);
            }
          });
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      failed(from, offset, e);
    }
    return at.get();
  }

  private void failed(SourcePartition from, long offset, Exception e) {
    long unknown = Failures.UNKNOWN_OFFSET;
    boolean refused = new Failures.Failure(from, offset, unknown, e).refusesRecord();
    String topic = settings.dlqTopic();
    Exception cause = refused ? new LetterRefusedException(topic, e) : Failures.meant(e, topic);
    failures.add(new Failures.Failure(from, offset, unknown, cause));
  }
}
