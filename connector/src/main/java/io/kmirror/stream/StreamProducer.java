package io.kmirror.stream;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.internals.EndlessSplits;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The target as a stream sees it: records go there, and the producer chooses their partitions. When it splits
 * a batch without end ({@link EndlessSplits}), another takes its place, and what is not acknowledged is sent
 * again, in order and one by one.
 */
final class StreamProducer implements AutoCloseable {
  private final StreamSettings settings;
  private final StreamNews news;
  private final Queue<Numbered> unsent = new ConcurrentLinkedQueue<>();
  private long lastNumber;
  private volatile KafkaProducer<byte[], byte[]> producer;
  private volatile EndlessSplits splits;
  private volatile boolean givesUp;
  private volatile Exception failure;
  private volatile Blocked blocked;

  /**
   * A call that has not come back: the producer does not know the topic, or its buffer is full.
   *
   * @param topic to which a record is sent
   * @param sinceNanos when it began
   */
  record Blocked(String topic, long sinceNanos) {}

  private record Numbered(long number, ProducerRecord<byte[], byte[]> record) {}

  StreamProducer(StreamSettings settings, StreamNews news) {
    this.settings = settings;
    this.news = news;
    begin();
  }

  private void begin() {
    Map<String, Object> properties = new HashMap<>(settings.producer());
    properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
    KafkaProducer<byte[], byte[]> next = new KafkaProducer<>(properties);
    splits = new EndlessSplits(next);
    producer = next;
    if (failure != null) {
      next.close(Duration.ZERO); // who has abandoned it closed the one before
    }
  }

  void send(ProducerRecord<byte[], byte[]> record) {
    Future<?> answer = offer(new Numbered(++lastNumber, record));
    if (answer != null && settings.waitsForEach()) {
      await(answer);
    }
    goOn();
  }

  /** Hands a record to the producer; null when that takes nothing more. */
  private Future<?> offer(Numbered next) {
    if (failure != null) {
      return null; // nothing goes on after it
    }
    ProducerRecord<byte[], byte[]> record = next.record();
    long size = size(record);
    blocked = new Blocked(record.topic(), System.nanoTime());
    try {
      return producer.send(record, (metadata, e) -> answered(next, size, e));
    } catch (IllegalStateException | KafkaException e) {
      if (givesUp) {
        unsent.add(next);
      } else if (failure == null) {
        throw e;
      }
      return null; // it has been closed meanwhile
    } finally {
      blocked = null;
    }
  }

  /** Goes on after a split without end, if there was one. */
  private void goOn() {
    if (!givesUp) {
      return;
    }
    producer.close(Duration.ZERO); // when it comes back, all callbacks have been called
    List<Numbered> again = new ArrayList<>(unsent);
    unsent.clear();
    again.sort(Comparator.comparingLong(Numbered::number));
    begin();
    givesUp = false;
    for (Numbered each : again) {
      offer(each);
      producer.flush();
    }
  }

  /** Ends a split without end; from another thread, several times a second. */
  void watch() {
    if (!givesUp && failure == null && splits.found()) {
      givesUp = true;
      producer.close(Duration.ZERO);
    }
  }

  private static long size(ProducerRecord<byte[], byte[]> record) {
    long size = length(record.key()) + length(record.value());
    for (Header header : record.headers().toArray()) {
      size += header.key().length() + length(header.value());
    }
    return size;
  }

  private static long length(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private static void await(Future<?> answer) {
    try {
      answer.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      // The callback has been told.
    }
  }

  private void answered(Numbered sent, long size, Exception e) {
    if (e == null) {
      news.sent(size);
      return;
    }
    if (failure != null) {
      return; // what a closed producer gives up was not left out: it is not committed either
    }
    if (givesUp) {
      unsent.add(sent);
      return;
    }
    if (!settings.abortOnSendFailure()) {
      news.dropped(sent.record().topic(), e);
      return;
    }
    failure = e;
    producer.close(Duration.ZERO); // what comes after a lost record must not arrive without it
  }

  /** The call that has not come back, or null; for other threads. */
  Blocked blocked() {
    return blocked;
  }

  /** Gives up what is not answered; from another thread: a call that has not come back fails. */
  void abandon() {
    failure = new KafkaException("there was no time to wait for the target");
    producer.close(Duration.ZERO);
  }

  /** Waits until everything is answered. */
  void flush() {
    producer.flush();
    goOn();
  }

  /** Whether a record could not be sent, and nothing may be committed any more. */
  boolean hasFailed() {
    return failure != null;
  }

  /**
   * Goes on after a split without end; called all the time.
   *
   * @throws KafkaException what a record failed with
   */
  void check() {
    goOn();
    Exception cause = failure;
    if (cause != null) {
      throw cause instanceof KafkaException known ? known : new KafkaException(cause);
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofMillis(failure == null ? settings.endMs() : 0));
  }
}
