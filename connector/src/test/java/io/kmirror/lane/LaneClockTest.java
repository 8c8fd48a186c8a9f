package io.kmirror.lane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.kmirror.lane.LaneClock.Activity;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a lane does with its time. */
final class LaneClockTest {
  private long nowNanos;
  private final LaneClock clock = new LaneClock(() -> nowNanos);

  /** Also of a wait that has not ended: a lane that hangs is seen to. */
  @Test
  void whatItDoesNowCounts() {
    pass(5);
    assertEquals(Activity.IDLE, clock.enter(Activity.CONVERT));
    pass(7);
    assertEquals(Activity.CONVERT, clock.enter(Activity.TARGET));
    pass(11);
    assertArrayEquals(new long[] {0, 7, 11, 0, 5}, clock.millis());
    pass(13);
    assertArrayEquals(new long[] {0, 7, 24, 0, 5}, clock.millis());
  }

  private void pass(long ms) {
    nowNanos += TimeUnit.MILLISECONDS.toNanos(ms);
  }
}
