package io.kmirror.driver;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Positions that Python wants written: arrays of {@code [topic, partition, offset, metadata]}. */
public final class PositionRows {
  private PositionRows() {}

  public static Map<TopicPartition, OffsetAndMetadata> read(JsonNode rows) {
    Map<TopicPartition, OffsetAndMetadata> positions = new HashMap<>();
    for (JsonNode row : rows) {
      var partition = new TopicPartition(row.get(0).asText(), row.get(1).asInt());
      positions.put(partition, new OffsetAndMetadata(row.get(2).asLong(), row.get(3).asText()));
    }
    return positions;
  }
}
