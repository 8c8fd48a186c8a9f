package io.kmirror.lane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kmirror.driver.Poison;
import io.kmirror.driver.Share;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;

/** What is kept of what a copy goes on without. */
final class DeadLetterTest {
  private static final int LARGE = 1_000_000;
  private static final Share SHARE = new Share("t", 3, "A.t", "A.t", "id", "tid", null, Poison.DLQ);
  private static final Header[] HEADERS = {new RecordHeader("h", new byte[] {1}), new RecordHeader("h", null)};

  private static DeadLetter letter(byte[] key, byte[] value, Header[] headers) {
    return new DeadLetter("A->B", SHARE, 7, 8)
        .of(key, value, headers)
        .at(5, "CREATE_TIME")
        .because("too_large", new RecordTooLargeException("The message is large."));
  }

  private static String ours(ProducerRecord<byte[], byte[]> record, String name) {
    Header header = record.headers().lastHeader(DeadLetter.PREFIX + name);
    return header == null ? null : new String(header.value(), UTF_8);
  }

  @Test
  void whatFitsIsKeptAsItIs() {
    byte[] value = {1, 2, 3};
    var record = letter(null, value, HEADERS).record("kmirror-dlq.A", LARGE);
    assertEquals("kmirror-dlq.A", record.topic());
    assertEquals(0, record.partition());
    assertNull(record.timestamp());
    assertNull(record.key());
    assertArrayEquals(value, record.value());
    assertArrayEquals(HEADERS, new Header[] {record.headers().toArray()[0], record.headers().toArray()[1]});
    assertEquals("A->B", ours(record, "flow"));
    assertEquals("t", ours(record, "topic"));
    assertEquals("id", ours(record, "topic.id"));
    assertEquals("3", ours(record, "partition"));
    assertEquals("A.t", ours(record, "target"));
    assertEquals("7", ours(record, "offset"));
    assertEquals("8", ours(record, "end"));
    assertEquals("5", ours(record, "timestamp"));
    assertEquals("create_time", ours(record, "timestamp.type"));
    assertEquals("too_large", ours(record, "reason"));
    assertEquals("RecordTooLargeException", ours(record, "error"));
    assertEquals("The message is large.", ours(record, "words"));
    assertEquals("-1", ours(record, "key.size"));
    assertEquals("3", ours(record, "value.size"));
    assertEquals("2", ours(record, "headers"));
    assertNull(ours(record, "truncated"));
  }

  @Test
  void whatDoesNotFitIsCutOff() {
    Header[] many = {new RecordHeader("h", new byte[LARGE / 2])};
    var record = letter(new byte[LARGE], new byte[LARGE], many).record("kmirror-dlq.A", LARGE);
    assertTrue(Target.size(record) < LARGE);
    assertTrue(Target.size(record) > LARGE * 9 / 10);
    assertEquals("true", ours(record, "truncated"));
    assertEquals("1000000", ours(record, "value.size"));
    assertEquals("1", ours(record, "headers"));
    assertNull(record.headers().lastHeader("h"));
  }

  /** Also a limit below what the coordinates need: the target says what it thinks of it. */
  @Test
  void nothingFits() {
    var record = letter(new byte[9], new byte[9], HEADERS).record("kmirror-dlq.A", 10);
    assertEquals(0, record.key().length + record.value().length);
    assertEquals("7", ours(record, "offset"));
  }

  @Test
  void why() {
    assertEquals("too_large", DeadLetter.reason(new RecordTooLargeException("large"), false));
    assertEquals("timestamp_refused", DeadLetter.reason(new InvalidTimestampException("early"), false));
    var invalid = new InvalidRecordException("no key");
    assertEquals("key_missing", DeadLetter.reason(invalid, false));
    assertEquals("record_refused", DeadLetter.reason(invalid, true));
  }
}
