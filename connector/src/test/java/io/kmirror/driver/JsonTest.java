package io.kmirror.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Set;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.Test;

/** What is told of a client that failed. */
final class JsonTest {
  private final KafkaException refused = new TopicAuthorizationException(Set.of("map"));

  private static ObjectNode told(Throwable cause) {
    ObjectNode node = Json.object();
    Json.failure(node, cause);
    return node;
  }

  /** A producer that is in an error state says no more than that. */
  @Test
  void aClientInAnErrorStateSaysWhyItIs() {
    ObjectNode told = told(new KafkaException("we are in an error state", refused));
    assertEquals(told(refused), told);
    assertEquals("TopicAuthorizationException", told.get("error").asText());
    assertEquals(refused.getMessage(), told.get("message").asText());
  }

  /** What says it itself is left alone. */
  @Test
  void othersSayItThemselves() {
    ObjectNode told = told(new KafkaException("the connection is lost", new IOException("reset")));
    assertEquals("KafkaException", told.get("error").asText());
    assertEquals("the connection is lost", told.get("message").asText());
  }
}
