package io.kmirror.lane;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** What a lane does with its time. The task's thread says what it begins; anybody reads. */
final class LaneClock {
  /** What a lane may do, in the order in which it is reported. */
  enum Activity {
    SOURCE,
    CONVERT,
    TARGET,
    THROTTLED,
    IDLE
  }

  private final LongSupplier clockNanos;
  private final long[] nanos = new long[Activity.values().length];
  private Activity doing = Activity.IDLE;
  private long sinceNanos;

  LaneClock(LongSupplier clockNanos) {
    this.clockNanos = clockNanos;
    this.sinceNanos = clockNanos.getAsLong();
  }

  /** The lane does this from now on; gives what it did before. */
  synchronized Activity enter(Activity next) {
    Activity before = doing;
    if (next != before) {
      count();
      doing = next;
    }
    return before;
  }

  private void count() {
    long now = clockNanos.getAsLong();
    nanos[doing.ordinal()] += now - sinceNanos;
    sinceNanos = now;
  }

  /** How long it did each of them so far, what it does now included, in milliseconds. */
  synchronized long[] millis() {
    count();
    long[] millis = new long[nanos.length];
    for (int i = 0; i < millis.length; i++) {
      millis[i] = TimeUnit.NANOSECONDS.toMillis(nanos[i]);
    }
    return millis;
  }
}
