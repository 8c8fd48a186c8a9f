package io.kmirror.lane;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.internals.BatchConsumer;
import org.apache.kafka.common.TopicPartition;

/** Has a consumer ask for nothing that may not be read now. */
final class Held {
  private final Throttle throttle;
  private final BatchConsumer consumer;
  private boolean isOn;
  private boolean any;

  /**
   * @param throttle says how fast the consumer may read
   */
  Held(Throttle throttle, BatchConsumer consumer) {
    this.throttle = throttle;
    this.consumer = consumer;
  }

  /** Holds partitions back, and gives the milliseconds after which some of them may be read. */
  long back() {
    any = false;
    if (!throttle.isOn()) {
      if (isOn) {
        isOn = false;
        consumer.holdBack(Set.of(), Long.MAX_VALUE);
      }
      return Long.MAX_VALUE;
    }
    isOn = true;
    Set<TopicPartition> held = new HashSet<>();
    Set<String> asked = new HashSet<>();
    long waitNanos = Long.MAX_VALUE;
    for (TopicPartition tp : consumer.assignment()) {
      long until = throttle.nanosUntil(tp.topic());
      if (until == 0) {
        asked.add(tp.topic());
      } else {
        held.add(tp);
        waitNanos = Math.min(waitNanos, until);
      }
    }
    any = !held.isEmpty();
    consumer.holdBack(held, throttle.answerBytes(asked));
    return TimeUnit.NANOSECONDS.toMillis(waitNanos) + 1;
  }

  /** Whether the last call held anything back. */
  boolean any() {
    return any;
  }
}
