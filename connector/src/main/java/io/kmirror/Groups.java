package io.kmirror;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kmirror.driver.Json;
import io.kmirror.driver.PositionRows;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;

/**
 * The consumer groups of one cluster, for Python: all of them in few requests.
 * {@code kmirror/pipeline/jvm_groups.py} knows the texts.
 */
public final class Groups implements AutoCloseable {
  private final Admin admin;
  private final int timeoutMs;

  /**
   * @param properties Java client properties, as a JSON object
   * @param timeoutMs deadline of each call
   */
  public Groups(String properties, int timeoutMs) {
    this.admin = Admin.create(Json.properties(properties));
    this.timeoutMs = timeoutMs;
  }

  /** Every group that may be seen: {@code [{"group", "type", "protocol", "state"}]}. */
  public String list() {
    ArrayNode answer = Json.array();
    var listings = admin.listGroups(new ListGroupsOptions().timeoutMs(timeoutMs)).all();
    ObjectNode failure = Json.object();
    Optional.ofNullable(await(listings, failure)).ifPresent(all -> all.forEach(g -> add(answer, g)));
    return (failure.isEmpty() ? answer : failure).toString();
  }

  private static void add(ArrayNode answer, GroupListing group) {
    ObjectNode node = answer.addObject();
    node.put("group", group.groupId()).put("protocol", group.protocol());
    node.put("type", group.type().map(Object::toString).orElse(""));
    node.put("state", group.groupState().map(Object::toString).orElse(""));
  }

  /**
   * What groups have committed.
   *
   * @param groups JSON array of names
   * @return for each group an array of {@code [topic, partition, offset, metadata, leader epoch or -1]},
   *     or an object that says why not
   */
  public String offsets(String groups) {
    Map<String, ListConsumerGroupOffsetsSpec> asked = new HashMap<>();
    Json.parsed(groups).forEach(name -> asked.put(name.asText(), new ListConsumerGroupOffsetsSpec()));
    var options = new ListConsumerGroupOffsetsOptions().timeoutMs(timeoutMs);
    ObjectNode answer = Json.object();
    if (asked.isEmpty()) {
      return answer.toString();
    }
    var result = admin.listConsumerGroupOffsets(asked, options);
    for (String group : asked.keySet()) {
      ObjectNode failure = Json.object();
      var offsets = await(result.partitionsToOffsetAndMetadata(group), failure);
      if (offsets == null) {
        answer.set(group, failure);
      } else {
        ArrayNode rows = answer.putArray(group);
        offsets.forEach((partition, at) -> add(rows, partition, at));
      }
    }
    return answer.toString();
  }

  private static void add(ArrayNode rows, TopicPartition partition, OffsetAndMetadata at) {
    if (at != null) { // null: nothing was committed there
      ArrayNode row = rows.addArray().add(partition.topic()).add(partition.partition());
      row.add(at.offset()).add(at.metadata()).add(at.leaderEpoch().orElse(-1));
    }
  }

  /**
   * Commits offsets for groups without members.
   *
   * @param offsets for each group an array of {@link PositionRows}
   * @return the groups that failed, and why
   */
  public String commit(String offsets) {
    var options = new AlterConsumerGroupOffsetsOptions().timeoutMs(timeoutMs);
    Map<String, KafkaFuture<Void>> outcomes = new HashMap<>();
    for (Map.Entry<String, JsonNode> group : Json.parsed(offsets).properties()) {
      var positions = PositionRows.read(group.getValue());
      var result = admin.alterConsumerGroupOffsets(group.getKey(), positions, options);
      outcomes.put(group.getKey(), result.all());
    }
    ObjectNode failed = Json.object();
    outcomes.forEach(
        (group, outcome) -> {
          ObjectNode failure = Json.object();
          await(outcome, failure);
          if (!failure.isEmpty()) {
            failed.set(group, failure);
          }
        });
    return failed.toString();
  }

  /** Gives the answer, or null after it has put into *failure* why there is none. */
  private static <T> T await(KafkaFuture<T> answer, ObjectNode failure) {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      Json.failure(failure, e.getCause());
      return null;
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofMillis(timeoutMs));
  }
}
