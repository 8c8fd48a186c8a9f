package io.kmirror.lane;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;

/** Waits for what an admin client was asked, never for ever. */
final class AdminAnswers {
  private AdminAnswers() {}

  /** Gives the answer; fails as the request did, or with Kafka's own exceptions. */
  static <T> T await(KafkaFuture<T> answer, long timeoutMs) {
    try {
      return answer.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : new KafkaException(e.getCause());
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException(e);
    }
  }
}
