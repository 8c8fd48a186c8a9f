package io.kmirror;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.HashMap;
import java.util.Map;

/** Questions and answers between Python and Java: texts, because each call from Python has its price. */
final class Json {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  static JsonNode parsed(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Java client properties from a JSON object. */
  static Map<String, Object> properties(String json) {
    Map<String, Object> properties = new HashMap<>();
    parsed(json).properties().forEach(e -> properties.put(e.getKey(), e.getValue().asText()));
    return properties;
  }

  static ArrayNode array() {
    return MAPPER.createArrayNode();
  }

  static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** Says in *answer* why there is none. */
  static void failure(ObjectNode answer, Throwable cause) {
    answer.put("error", cause.getClass().getSimpleName()).put("message", String.valueOf(cause.getMessage()));
  }
}
