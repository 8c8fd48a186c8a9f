package io.kmirror.lane;

import io.kmirror.driver.Share;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * What a topic for dead letters gets of something that is left out: its key, value and headers where they
 * fit, and behind these a header for each of its coordinates. {@code kmirror/wire/dead_letters.py} reads it.
 */
final class DeadLetter {
  /** The reason for a batch that cannot be read. */
  static final String DAMAGED = "damaged_batch";

  /** What comes before the name of each of our headers. */
  static final String PREFIX = "kmirror.dlq.";

  /** What a record and its batch need beside key, value and headers, generously. */
  private static final int OVERHEAD_BYTES = 1024;

  /** What a header needs beside its name and value, at most. */
  private static final int HEADER_BYTES = 10;

  /** Of what a broker says of it so much is kept. */
  private static final int WORDS_MAX = 1000;

  /** Key and headers get such a part each of what does not fit. */
  private static final int PARTS = 4;

  private final RecordHeaders ours = new RecordHeaders();
  private byte[] key;
  private byte[] value;
  private Header[] headers;

  /** Of something at source offset *offset* that ends before *end*. */
  DeadLetter(String flow, Share share, long offset, long end) {
    put("flow", flow);
    put("topic", share.topic());
    put("topic.id", share.topicId());
    put("partition", share.partition());
    put("target", share.target());
    put("offset", offset);
    put("end", end);
  }

  /** Notes why it is left out; *reason* is for programs. */
  DeadLetter because(String reason, Exception error) {
    put("reason", reason);
    put("error", error.getClass().getSimpleName());
    String words = error.getMessage() == null ? "" : error.getMessage();
    put("words", words.substring(0, Math.min(words.length(), WORDS_MAX)));
    return this;
  }

  /** Tells programs why the target has refused a record. */
  static String reason(Exception error, boolean hasKey) {
    if (error instanceof RecordTooLargeException || error instanceof RecordBatchTooLargeException) {
      return "too_large";
    }
    if (error instanceof InvalidTimestampException) {
      return "timestamp_refused";
    }
    return error instanceof InvalidRecordException && !hasKey ? "key_missing" : "record_refused";
  }

  /** Notes a record's own time. */
  DeadLetter at(long timestampMs, String type) {
    put("timestamp", timestampMs);
    put("timestamp.type", type.toLowerCase(Locale.ROOT));
    return this;
  }

  /** Takes what it consists of. */
  DeadLetter of(byte[] itsKey, byte[] itsValue, Header[] itsHeaders) {
    key = itsKey;
    value = itsValue;
    headers = itsHeaders;
    put("key.size", key == null ? -1 : key.length);
    put("value.size", value == null ? -1 : value.length);
    put("headers", headers.length);
    put("headers.size", size(headers));
    return this;
  }

  /** Gives a record for partition 0 of *topic* that is not larger than *bytesMax*. */
  ProducerRecord<byte[], byte[]> record(String topic, int bytesMax) {
    long room = Math.max(0, bytesMax - OVERHEAD_BYTES - size(ours.toArray()));
    if (length(key) + length(value) + size(headers) > room) {
      put("truncated", "true");
      headers = size(headers) > room / PARTS ? new Header[0] : headers;
      key = cut(key, room / PARTS);
      value = cut(value, room - length(key) - size(headers));
    }
    RecordHeaders all = new RecordHeaders(headers);
    ours.forEach(all::add);
    return new ProducerRecord<>(topic, 0, null, key, value, all);
  }

  private static byte[] cut(byte[] bytes, long lengthMax) {
    return length(bytes) > lengthMax ? Arrays.copyOf(bytes, (int) lengthMax) : bytes;
  }

  private static long length(byte[] bytes) {
    return bytes == null ? 0 : bytes.length;
  }

  private static long size(Header[] headers) {
    long size = 0;
    for (Header header : headers) {
      size += HEADER_BYTES + header.key().getBytes(StandardCharsets.UTF_8).length + length(header.value());
    }
    return size;
  }

  private void put(String name, Object value) {
    ours.add(PREFIX + name, value.toString().getBytes(StandardCharsets.UTF_8));
  }
}
