package io.kmirror.lane;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/** Waits for what was asked of a cluster, or is done by another thread. */
final class Answers {
  private Answers() {}

  /** Gives what comes of something whose own timeouts bound it; see the other one. */
  static <T> T await(Future<T> answer) {
    return await(answer, Long.MAX_VALUE);
  }

  /** Gives the answer; fails as the request did, or with Kafka's own exceptions. */
  static <T> T await(Future<T> answer, long timeoutMs) {
    try {
      return answer.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw unwrapped(e.getCause());
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException(e);
    }
  }

  private static RuntimeException unwrapped(Throwable cause) {
    if (cause instanceof Error error) {
      throw error; // memory that is short ends the process, in whichever thread it is
    }
    return cause instanceof RuntimeException exception ? exception : new KafkaException(cause);
  }
}
