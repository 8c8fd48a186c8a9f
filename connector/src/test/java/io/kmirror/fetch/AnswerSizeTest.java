package io.kmirror.fetch;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** How much one answer of the source may hold, so that it arrives in time on any link. */
final class AnswerSizeTest {
  private static final int MAX_BYTES = 16 * 1024 * 1024;
  private static final int REQUEST_TIMEOUT_MS = 40_000; // an answer may take a quarter of it, 10 s
  private static final int FIRST_BYTES = 256 * 1024;
  private static final int MEASURED = 10 * FIRST_BYTES;

  private final AnswerMemory memory = new AnswerMemory(TUNING.fetch().pooledAnswerBytes(), MAX_BYTES);
  private final AnswerSize size = new AnswerSize(TUNING.fetch(), memory, MAX_BYTES, REQUEST_TIMEOUT_MS);

  private int after(long bytes, long ms) {
    size.came(bytes, ms);
    return size.bytes();
  }

  private int afterFailure() {
    size.failed();
    return size.bytes();
  }

  private int shared(int among) {
    size.share(among);
    return size.bytes();
  }

  /** By the last full answer; never more than fetch.max.bytes. */
  @Test
  void asMuchAsComesInAQuarterOfTheTimeout() {
    assertEquals(MEASURED, after(FIRST_BYTES, 1000));
    assertEquals(MEASURED / 2, after(MEASURED, 20_000));
    assertEquals(MAX_BYTES, after(MEASURED / 4, 1));
  }

  /** What comes one by one had to be waited for. */
  @Test
  void theEndOfTheLogIsNoSlowLink() {
    assertEquals(MEASURED, after(FIRST_BYTES, 1000));
    assertEquals(MEASURED, after(80, 500));
    assertEquals(MEASURED, after(16_000, 500));
  }

  /** Before an answer as large as on the fast one needs longer than the time-out. */
  @Test
  void aLinkThatHasBecomeSlowIsNoticedAtOnce() {
    assertEquals(MAX_BYTES, after(262_144, 10));
    assertEquals(2_500_000, after(2_000_000, 8000));
    assertEquals(2_500_000, after(100_000, 1));
  }

  /** A few times smaller each time, down to 16 KiB. */
  @Test
  void whatDidNotComeIsAskedForInSmallPieces() {
    assertEquals(MAX_BYTES, after(262_144, 10));
    assertEquals(65_536, afterFailure());
    assertEquals(16_384, afterFailure());
    assertEquals(16_384, afterFailure());
  }

  /** Side by side they hold what one answer did; all that fill the link have half the time-out. */
  @Test
  void connectionsShareSizeAndTime() {
    int quarter = MEASURED / 4;
    assertEquals(MEASURED, after(FIRST_BYTES, 1000));
    assertEquals(quarter, shared(4));
    assertEquals(quarter / 2, after(quarter, 10_000));
    assertEquals(MAX_BYTES / 4, after(quarter, 1));
    assertEquals(MAX_BYTES / 4, shared(1));
    assertEquals(MAX_BYTES, after(MAX_BYTES, 1));
  }

  /** Of each broker one answer is read while the next arrives. */
  @Test
  void whatHasNoRoomIsNotAskedFor() {
    int room = 8 * MAX_BYTES;
    memory.room(room);
    size.from(3);
    assertEquals(MAX_BYTES, after(MAX_BYTES, 1));
    size.from(16);
    assertEquals(room / 2 / 16, size.bytes());
    assertEquals(room / 2 / 16, after(MAX_BYTES, 1));
    assertEquals(room / 2 / 16 / 4, shared(4));
    memory.room(room / 4);
    size.from(2);
    assertEquals(room / 4 / 2 / 2 / 4, after(MAX_BYTES, 1));
  }
}
