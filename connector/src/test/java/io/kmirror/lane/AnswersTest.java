package io.kmirror.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** What is told of a client that failed. */
final class AnswersTest {
  private final KafkaException refused = new TopicAuthorizationException(Set.of("map"));

  /** A producer that is in an error state says no more than that. */
  @Test
  void aClientInAnErrorStateSaysWhyItIs() {
    assertSame(refused, Answers.reason(new KafkaException("we are in an error state", refused)));
  }

  /** What says it itself is left alone. */
  @Test
  void othersSayItThemselves() {
    assertSame(refused, Answers.reason(refused));
    Exception lost = new KafkaException("the connection is lost", new java.io.IOException());
    assertEquals("the connection is lost", Answers.reason(lost).getMessage());
    assertNull(Answers.reason(null));
  }
}
