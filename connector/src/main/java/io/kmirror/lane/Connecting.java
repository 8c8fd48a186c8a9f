package io.kmirror.lane;

import io.kmirror.driver.Share;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.internals.BatchConsumer;
import org.apache.kafka.common.KafkaException;

/**
 * Has a consumer connect in the background, while the lane's target is opened: with TLS and a login that is
 * many round trips to a source which may be far away.
 */
final class Connecting {
  /** Whoever polls waits for longer, as the operator has set it. */
  private static final long MS_MAX = 2_000;

  private final BatchConsumer consumer;
  private Future<Void> connected;

  Connecting(BatchConsumer consumer) {
    this.consumer = consumer;
  }

  /** Begins, unless it has, and asks about the topics of *shares*. */
  void begin(Collection<Share> shares) {
    if (connected == null) {
      Set<String> topics = shares.stream().map(Share::topic).collect(Collectors.toSet());
      connected = CompletableFuture.runAsync(
          () -> consumer.connect(topics, MS_MAX), task -> new Thread(task, "kmirror-connect").start());
    }
  }

  /** Waits until the consumer is the caller's alone. */
  void await() {
    try {
      Answers.await(connected);
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e); // whoever polls finds out what is wrong
    }
  }
}
