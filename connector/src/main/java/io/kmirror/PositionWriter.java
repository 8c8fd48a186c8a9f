package io.kmirror;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kmirror.driver.Json;
import io.kmirror.driver.PositionRows;
import java.time.Duration;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A transactional producer that writes offsets of one group and nothing else, for Python.
 * {@code kmirror/pipeline/jvm_positions.py} knows the texts: each method returns an object that says
 * why it failed, or an empty one.
 */
public final class PositionWriter implements AutoCloseable {
  private final KafkaProducer<byte[], byte[]> producer;
  private final ConsumerGroupMetadata group;

  /**
   * Begins to connect to the cluster; nobody is fenced by that.
   *
   * @param properties Java client properties, as a JSON object; max.block.ms bounds each step
   * @param group whose offsets
   */
  @SuppressWarnings("removal") // there is no other way to name a group that has no members
  public PositionWriter(String properties, String group) {
    var serializer = new ByteArraySerializer();
    this.producer = new KafkaProducer<>(Json.properties(properties), serializer, serializer);
    this.group = new ConsumerGroupMetadata(group);
  }

  /** Ends earlier producers of the same transactional id, and what they have open. */
  public String fence() {
    ObjectNode failure = Json.object();
    try {
      producer.initTransactions();
    } catch (KafkaException e) {
      Json.failure(failure, e);
    }
    return failure.toString();
  }

  /**
   * Writes positions in one transaction.
   *
   * @param requests JSON array of what goes in one request: an array of {@link PositionRows}
   * @return in a failure, {@code "aborted"} says that nothing was written, and that the next transaction can begin
   */
  public String write(String requests) {
    ObjectNode failure = Json.object();
    try {
      producer.beginTransaction();
      for (JsonNode rows : Json.parsed(requests)) {
        producer.sendOffsetsToTransaction(PositionRows.read(rows), group);
      }
      producer.commitTransaction();
    } catch (KafkaException e) {
      Json.failure(failure, named(e));
      failure.put("aborted", !(e instanceof TimeoutException) && aborted());
    }
    return failure.toString();
  }

  /** That offsets for a topic may not be committed, the producer says in words alone. */
  private static KafkaException named(KafkaException e) {
    Errors denied = Errors.TOPIC_AUTHORIZATION_FAILED;
    boolean isDenied = e.getMessage() != null && e.getMessage().endsWith(denied.message());
    return isDenied ? denied.exception() : e;
  }

  private boolean aborted() {
    try {
      producer.abortTransaction();
      return true;
    } catch (KafkaException e) {
      return false; // fenced, or there is no answer
    }
  }

  /** Lets go of connections; what is open, whoever has the id next ends, or the cluster in its time. */
  @Override
  public void close() {
    producer.close(Duration.ZERO);
  }
}
