package io.kmirror.stream;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kmirror.driver.Json;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.TopicPartition;

/** What streams have to tell Python, which has the words for it ({@code kmirror/pipeline/streams.py}). */
final class StreamNews {
  /** Python asks several times a second; when it does not, no more than so much waits for it. */
  private static final int EVENTS_MAX = 1_000;

  /** What has happened, by the name that Python knows. */
  enum Kind {
    ASSIGNED,
    REVOKED,
    LOST,
    COMMIT_REFUSED,
    COMMIT_LATE
  }

  private record Dropped(String topic, String error) {}

  private final Deque<ObjectNode> events = new ArrayDeque<>();
  private final Map<Dropped, ObjectNode> dropped = new HashMap<>();
  private final LongAdder records = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private long droppedRecords;
  private ObjectNode failure;

  void sent(long moreBytes) {
    records.increment();
    bytes.add(moreBytes);
  }

  /** Tells what has become of a stream's partitions. */
  synchronized void moved(int stream, Kind kind, Collection<TopicPartition> partitions) {
    ObjectNode event = event(stream, kind);
    ArrayNode names = event.putArray("partitions");
    partitions.stream().map(TopicPartition::toString).sorted().forEach(names::add);
  }

  /** Tells why a commit did not succeed. */
  synchronized void notCommitted(int stream, Kind kind, Exception cause) {
    Json.failure(event(stream, kind), cause);
  }

  private ObjectNode event(int stream, Kind kind) {
    ObjectNode event = Json.object().put("stream", stream).put("kind", kind.name().toLowerCase(Locale.ROOT));
    if (events.size() < EVENTS_MAX) {
      events.add(event);
    }
    return event;
  }

  /** Tells that the copy goes on without a record. */
  synchronized void dropped(String topic, Exception cause) {
    droppedRecords++;
    ObjectNode node =
        dropped.computeIfAbsent(
            new Dropped(topic, cause.getClass().getName()), key -> Json.object().put("topic", topic));
    Json.failure(node, cause);
    node.put("count", node.path("count").asLong() + 1);
  }

  synchronized long droppedRecords() {
    return droppedRecords;
  }

  /** Tells why a stream dies; the first one is the cause of what follows. */
  synchronized void failed(int stream, Throwable cause) {
    if (failure == null) {
      failure = Json.object().put("stream", stream);
      Json.failure(failure, cause);
    }
  }

  /** Gives all that happened since the last call, and what was copied since the first. */
  synchronized ObjectNode collect() {
    ObjectNode all = Json.object();
    all.put("records", records.sum()).put("bytes", bytes.sum()).put("dropped", droppedRecords);
    ArrayNode happened = all.putArray("events");
    events.forEach(happened::add);
    events.clear();
    ArrayNode lost = all.putArray("drops");
    dropped.values().forEach(lost::add);
    dropped.clear();
    all.set("failure", failure);
    return all;
  }
}
