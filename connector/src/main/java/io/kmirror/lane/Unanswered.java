package io.kmirror.lane;

import java.util.ArrayDeque;
import java.util.concurrent.Future;

/** What was sent and has no answer yet, in its order, and since when. Used by the task's thread alone. */
final class Unanswered {
  private final ArrayDeque<Sent> queue = new ArrayDeque<>();

  private record Sent(Future<?> answer, long nanos) {}

  void add(Future<?> answer) {
    queue.add(new Sent(answer, System.nanoTime()));
  }

  int size() {
    while (!queue.isEmpty() && queue.peek().answer.isDone()) {
      queue.remove();
    }
    return queue.size();
  }

  /** Whether the oldest has waited for longer than *nanos*. */
  boolean isLate(long nanos) {
    return size() > 0 && System.nanoTime() - queue.element().nanos > nanos;
  }

  void clear() {
    queue.clear();
  }
}
