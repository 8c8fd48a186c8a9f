package io.kmirror.audit;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads windows one after the other, in the order of their offsets. A window that cannot be read has its
 * trouble instead of records. Those behind it in its partition give nothing, as they have to wait for it anyway;
 * those of other partitions are read all the same.
 */
public final class WindowRecords implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<Window> windows;
  private final long bytesPerSecond;
  private final long timeoutMs;
  private final long begunNanos = System.nanoTime();
  private Iterator<ConsumerRecord<byte[], byte[]>> fetched = List.<ConsumerRecord<byte[], byte[]>>of().iterator();
  private ConsumerRecord<byte[], byte[]> held;
  private ConsumerRecord<byte[], byte[]> current;
  private String trouble;
  private int at = -1;
  private boolean isOver = true;
  private long place;
  private long bytesRead;
  private long deadlineNanos;

  public WindowRecords(Map<String, String> properties, List<Window> windows, long bytesPerSecond, long timeoutMs) {
    HashMap<String, Object> merged = new HashMap<>(properties);
    merged.put("enable.auto.commit", "false");
    merged.put("auto.offset.reset", "none");
    merged.put("allow.auto.create.topics", "false");
    this.consumer = new KafkaConsumer<>(merged, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    this.windows = windows;
    this.bytesPerSecond = bytesPerSecond;
    this.timeoutMs = timeoutMs;
  }

  /** Goes to the next record, or to the next window's trouble; false when there is nothing more. */
  public boolean next() {
    while (true) {
      if (isOver && !begin()) {
        return false;
      }
      try {
        if (step()) {
          return true;
        }
      } catch (InterruptException | WakeupException e) {
        throw e;
      } catch (KafkaException e) {
        fail(e.getClass().getSimpleName() + ": " + e.getMessage());
        return true;
      }
      isOver = true;
    }
  }

  public Window window() {
    return windows.get(at);
  }

  /** The record's place in its window, from 0 on. */
  public long place() {
    return place - 1;
  }

  /** The current record; null when there is trouble instead. */
  public ConsumerRecord<byte[], byte[]> current() {
    return current;
  }

  /** Why the rest of the window could not be read; null when there is a record. */
  public String trouble() {
    return trouble;
  }

  private boolean begin() {
    int next = at + 1;
    // Each would wait as long as the one before it, for nothing.
    while (trouble != null && next < windows.size() && windows.get(next).isBeside(window())) {
      next++;
    }
    if (next >= windows.size()) {
      return false;
    }
    boolean goesOn = at >= 0 && trouble == null && windows.get(next).follows(windows.get(at));
    at = next;
    place = 0;
    isOver = false;
    trouble = null;
    current = null;
    alive();
    if (!goesOn) {
      held = null;
      fetched = List.<ConsumerRecord<byte[], byte[]>>of().iterator();
      TopicPartition partition = new TopicPartition(window().topic(), window().partition());
      consumer.assign(List.of(partition));
      consumer.seek(partition, window().start());
    }
    return true;
  }

  /** Takes the window's next record; false at its end. */
  private boolean step() {
    Window window = window();
    TopicPartition partition = new TopicPartition(window.topic(), window.partition());
    while (true) {
      ConsumerRecord<byte[], byte[]> next = held;
      held = null;
      if (next == null && fetched.hasNext()) {
        next = fetched.next();
      }
      if (next != null) {
        if (next.offset() >= window.end()) {
          held = next;
          return false;
        }
        current = next;
        place++;
        bytesRead += sizeOf(next);
        return true;
      }
      // Markers and removed records move the position without giving anything.
      if (window.start() >= window.end() || consumer.position(partition) >= window.end()) {
        return false;
      }
      rest();
      fetched = consumer.poll(POLL).records(partition).iterator();
      if (fetched.hasNext()) {
        alive();
      } else if (System.nanoTime() - deadlineNanos > 0) {
        fail("nothing came for " + timeoutMs + " ms, from offset " + consumer.position(partition) + " on");
        return true;
      }
    }
  }

  private void fail(String why) {
    trouble = why;
    current = null;
    place++;
    isOver = true;
  }

  private void alive() {
    deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
  }

  /** Waits as long as more was read than the rate allows. */
  private void rest() {
    if (bytesPerSecond <= 0) {
      return;
    }
    long dueNanos = (long) (bytesRead * 1e9 / bytesPerSecond);
    long aheadNanos = dueNanos - (System.nanoTime() - begunNanos);
    if (aheadNanos <= 0) {
      return;
    }
    try {
      TimeUnit.NANOSECONDS.sleep(aheadNanos);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
    alive();
  }

  /** Counts what a record carries, whatever it took on the wire. */
  public static int sizeOf(ConsumerRecord<byte[], byte[]> record) {
    return Math.max(0, record.serializedKeySize()) + Math.max(0, record.serializedValueSize());
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(Duration.ZERO));
  }
}
