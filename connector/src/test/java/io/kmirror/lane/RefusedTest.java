package io.kmirror.lane;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.kmirror.batch.UnreadableBatchException;
import io.kmirror.driver.LeftOut;
import io.kmirror.driver.Parking;
import io.kmirror.driver.Poison;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.junit.jupiter.api.Test;

/** Which record is given up: only one that was refused alone. */
final class RefusedTest {
  private static final Exception CAUSE = new RecordTooLargeException("too large");

  private final Refused skipped = new Refused(Poison.SKIP);

  /** The partition stops before the record as soon as it is known. */
  @Test
  void parked() {
    Refused parked = new Refused(Poison.PARK);
    assertFalse(parked.parks(Failures.UNKNOWN_OFFSET, CAUSE));
    assertTrue(parked.isWatched(1000));
    assertTrue(parked.parks(7, CAUSE));
    assertFalse(parked.isWatched(7));
    assertNull(parked.causeOf(7));
  }

  /** Once among others, once alone. */
  @Test
  void refusedAloneItIsLeftOut() {
    assertFalse(skipped.parks(7, CAUSE));
    assertNull(skipped.causeOf(7));
    assertTrue(skipped.suspects(7));
    assertTrue(skipped.isWatched(7));
    assertFalse(skipped.parks(7, CAUSE));
    assertSame(CAUSE, skipped.causeOf(7));
    assertFalse(skipped.suspects(7));
  }

  /** Brokers that do not say which record of a batch it was blame all of them. */
  @Test
  void whoWasBlamedInVainStays() {
    assertFalse(skipped.parks(7, CAUSE));
    assertFalse(skipped.parks(8, CAUSE)); // 7 was sent alone and taken; now its neighbour is blamed
    assertFalse(skipped.parks(8, CAUSE));
    assertNull(skipped.causeOf(7));
    assertSame(CAUSE, skipped.causeOf(8));
  }

  /** Records are sent as usual again behind one that was suspected, and taken. */
  @Test
  void trustReturns() {
    skipped.parks(Failures.UNKNOWN_OFFSET, CAUSE);
    skipped.parks(7, CAUSE);
    skipped.committed(7);
    assertTrue(skipped.isWatched(1000));
    skipped.committed(8);
    assertFalse(skipped.isWatched(1000));
    assertFalse(skipped.suspects(7));
  }

  /** What is left out is forgotten once it is committed, and told with the commit. */
  @Test
  void itIsToldOnce() {
    skipped.parks(7, CAUSE);
    skipped.parks(7, CAUSE);
    var left = new LeftOut(Parking.recordRefused(7, CAUSE), "too_large", 8, 100, LeftOut.NO_LETTER);
    skipped.leaveOut(left);
    skipped.rewind();
    assertEquals(List.of(), skipped.take());
    skipped.leaveOut(left);
    assertEquals(List.of(left), skipped.take());
    assertEquals(List.of(), skipped.take());
    skipped.committed(8);
    assertNull(skipped.causeOf(7));
  }

  /** A batch of which nothing can be made is known by its last offset until the copy is behind it. */
  @Test
  void unreadable() {
    RecordBatch batch = batch(0);
    UnreadableBatchException cause = new UnreadableBatchException(new IllegalArgumentException("no varint"));
    skipped.cannotRead(batch.lastOffset(), cause);
    assertSame(cause, assertThrows(UnreadableBatchException.class, () -> skipped.throwIfUnreadable(batch)));
    skipped.throwIfUnreadable(batch(10));
    skipped.committed(batch.nextOffset());
    skipped.throwIfUnreadable(batch);
  }

  private static RecordBatch batch(long baseOffset) {
    MemoryRecords records =
        MemoryRecords.withRecords(baseOffset, Compression.NONE, new SimpleRecord("v".getBytes(UTF_8)));
    return records.batches().iterator().next();
  }
}
