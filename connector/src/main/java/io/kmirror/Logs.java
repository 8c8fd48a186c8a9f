package io.kmirror;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kmirror.driver.Json;
import io.kmirror.lane.Failures;
import io.kmirror.tuning.Tuning;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.internals.BatchConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * The logs of one cluster, for Python: whether they are still those that positions belong to.
 * {@code kmirror/pipeline/jvm_logs.py} knows the texts.
 */
public final class Logs {
  private final Map<String, Object> properties;
  private final int timeoutMs;
  private final Tuning.Fetch tuning;

  /**
   * @param properties Java client properties, as a JSON object
   * @param timeoutMs deadline of each call
   * @param tuning how much is asked for, as a JSON object
   */
  public Logs(String properties, int timeoutMs, String tuning) {
    this.properties = Json.properties(properties);
    // Otherwise it would go to where the log was truncated, and not say so.
    this.properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    this.properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false"); // whoever looks makes nothing
    this.timeoutMs = timeoutMs;
    this.tuning = Tuning.Fetch.parsed(tuning);
  }

  /**
   * See {@link BatchConsumer#kept}.
   *
   * @param positions JSON array of {@code [topic, partition, offset, leader epoch]}
   * @return JSON array of {@code [topic, partition, offset kept]}, without those that could not be asked; or an
   *     object that says why none could
   */
  public String kept(String positions) {
    Map<TopicPartition, OffsetAndMetadata> asked = new HashMap<>();
    for (JsonNode row : Json.parsed(positions)) {
      var epoch = Optional.of(row.get(3).asInt());
      asked.put(
          new TopicPartition(row.get(0).asText(), row.get(1).asInt()),
          new OffsetAndMetadata(row.get(2).asLong(), epoch, ""));
    }
    try (BatchConsumer consumer = new BatchConsumer(new HashMap<>(properties), 1, tuning)) {
      ArrayNode answer = Json.array();
      consumer
          .kept(asked, timeoutMs)
          .forEach((tp, kept) -> answer.addArray().add(tp.topic()).add(tp.partition()).add(kept));
      return answer.toString();
    } catch (KafkaException e) {
      Failures.rethrowInterrupt(e);
      ObjectNode failure = Json.object();
      Json.failure(failure, e);
      return failure.toString();
    }
  }
}
