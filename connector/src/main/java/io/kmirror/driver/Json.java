package io.kmirror.driver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.SslAuthenticationException;

/** Questions and answers between Python and Java: texts, because each call from Python has its price. */
public final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  public static JsonNode parsed(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Java client properties from a JSON object. */
  public static Map<String, Object> properties(String json) {
    Map<String, Object> properties = new HashMap<>();
    parsed(json).properties().forEach(e -> properties.put(e.getKey(), e.getValue().asText()));
    return properties;
  }

  public static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Says in *node* what a client failed with; {@code kmirror/pipeline/java_errors.py} reads it. */
  public static void failure(ObjectNode node, Throwable failure) {
    Throwable cause = reason(failure);
    String message = cause.getMessage() == null ? "" : cause.getMessage();
    if (cause instanceof SslAuthenticationException && cause.getCause() != null) {
      message += " (" + root(cause) + ")"; // that a certificate has expired, say
    }
    node.put("error", cause.getClass().getSimpleName()).put("message", message);
  }

  /** A client in an error state says that, and its cause why: without it nobody knows what to do. */
  private static Throwable reason(Throwable failure) {
    boolean saysNoMore = failure.getClass() == KafkaException.class;
    return saysNoMore && failure.getCause() instanceof KafkaException cause ? cause : failure;
  }

  private static String root(Throwable cause) {
    Throwable root = cause;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.getClass().getSimpleName() + ": " + root.getMessage();
  }
}
