package io.kmirror.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How fast lanes read that have more than they may, with a clock of its own. */
final class ThrottleTest {
  private static final int MIB = 1 << 20;
  private static final long SECONDS = 60;

  private long now = 1_000_000_000_000L;
  private final Throttle throttle = new Throttle(1, () -> now);
  private final Map<String, Long> read = new HashMap<>();

  /** A rate is kept however large a batch is: also one that takes longer than a second. */
  @ParameterizedTest
  @CsvSource({"1000000, 1000", "1000000, 1048576", "3000000, 1048576", "50000, 1048576"})
  void aRateIsKept(long rate, int batchBytes) {
    throttle.follow("[{}, {\"rate\": " + rate + "}]");
    readFor(SECONDS, batchBytes, "t", "u");
    long most = rate * SECONDS + batchBytes;
    assertTrue(total() <= most, total() + " > " + most);
    assertTrue(total() >= 0.95 * rate * SECONDS - batchBytes, total() + " of " + most);
  }

  @Test
  void aTopicHasItsOwn() {
    throttle.follow("[{}, {\"topics\": {\"t\": {\"rate\": 1000000}}}]");
    readFor(SECONDS, 10_000, "t");
    assertEquals(1_000_000 * SECONDS, read.get("t"), 20_000);
    assertEquals(0, throttle.nanosUntil("u"));
    assertEquals(250_000, throttle.answerBytes(List.of("t")));
    assertEquals(Long.MAX_VALUE, throttle.answerBytes(List.of("t", "u")));
  }

  /** The first class takes all it can; what it leaves is the next one's. */
  @Test
  void aLaterClassTakesWhatIsLeft() {
    String later = "\"later\": {\"rank\": 1}";
    throttle.follow("[{}, {\"rate\": 2000000, \"topics\": {" + later + "}}]");
    readFor(SECONDS, 10_000, "first", "later");
    assertTrue(read.getOrDefault("later", 0L) < 0.01 * total(), read.toString());
    String first = "\"first\": {\"rate\": 500000}";
    throttle.follow("[{}, {\"rate\": 2000000, \"topics\": {" + first + "," + later + "}}]");
    read.clear();
    readFor(SECONDS, 10_000, "first", "later");
    assertEquals(500_000 * SECONDS, read.get("first"), 100_000);
    assertEquals(2_000_000 * SECONDS, total(), 1_100_000);
  }

  @Test
  void aClassThatIsNotOpenWaitsForPython() {
    throttle.follow("[{}, {\"open\": 0, \"topics\": {\"later\": {\"rank\": 1}}}]");
    assertEquals(Long.MAX_VALUE, throttle.nanosUntil("later"));
    assertEquals(0, throttle.nanosUntil("first"));
    throttle.follow("");
    assertEquals(0, throttle.nanosUntil("later"));
  }

  /** Debt stays when a rate changes, and a pause saves half a second at most. */
  @Test
  void whatWasTooMuchIsWaitedForAtTheNewRate() {
    throttle.follow("[{}, {\"rate\": 1000000}]");
    throttle.charge("t", 2 * MIB);
    throttle.follow("[{}, {\"rate\": 2000000}]");
    assertEquals(1.05, throttle.nanosUntil("t") / 1e9, 0.01);
    now += TimeUnit.HOURS.toNanos(1);
    assertEquals(0, throttle.nanosUntil("t"));
    throttle.charge("t", 1_000_000);
    assertTrue(throttle.nanosUntil("t") > 0);
  }

  private void readFor(long seconds, int batchBytes, String... topics) {
    long end = now + TimeUnit.SECONDS.toNanos(seconds);
    while (now < end) {
      for (String topic : topics) {
        if (throttle.nanosUntil(topic) == 0) {
          throttle.charge(topic, batchBytes);
          read.merge(topic, (long) batchBytes, Long::sum);
        }
      }
      now += TimeUnit.MILLISECONDS.toNanos(1);
    }
  }

  private long total() {
    return read.values().stream().mapToLong(Long::longValue).sum();
  }
}
