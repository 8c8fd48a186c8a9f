package io.kmirror.offsets;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;

/**
 * What a position remembers beside its offset; {@code kmirror/wire/position.py} reads and writes it too.
 *
 * @param nextTarget next offset of the target partition; 0 when nobody knows
 * @param topicId id of the source topic, or ""
 * @param targetId id of the target topic, or ""
 * @param leaderEpoch the source's, of what lies right before the position, or null
 * @param targetEpoch the target's, or an earlier one, when the last record was written there, or null
 */
public record PositionText(
    long nextTarget, String topicId, String targetId, Integer leaderEpoch, Integer targetEpoch) {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Ids are base64 for URLs: nothing in them needs escaping. A position set by hand says nothing. */
  public static PositionText decode(String text) {
    JsonNode node = read(text);
    return new PositionText(
        node.path("t").asLong(0),
        node.path("id").asText(""),
        node.path("tid").asText(""),
        epoch(node.path("se")),
        epoch(node.path("te")));
  }

  private static Integer epoch(JsonNode epoch) {
    return epoch.isInt() ? epoch.asInt() : null;
  }

  private static JsonNode read(String text) {
    try {
      JsonNode node = JSON.readTree(text);
      return node == null ? MissingNode.getInstance() : node;
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }

  /**
   * The driver reads it with librdkafka, which takes it for a C string: without the NUL it reads past the
   * end.
   */
  public String encode() {
    return "{\"t\":" + nextTarget + ",\"id\":\"" + topicId + "\",\"tid\":\"" + targetId + "\",\"se\":"
        + leaderEpoch + ",\"te\":" + targetEpoch + "}\0";
  }

  /** Whether both ids, where they are known on both sides, are these. */
  public boolean belongsTo(String topic, String target) {
    return same(topicId, topic) && same(targetId, target);
  }

  private static boolean same(String one, String other) {
    return one.isEmpty() || other.isEmpty() || one.equals(other);
  }
}
