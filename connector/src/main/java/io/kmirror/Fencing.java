package io.kmirror;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kmirror.driver.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FenceProducersOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;

/** Ends the producers of transactional ids, for Python. {@code kmirror/pipeline/jvm_fencing.py} knows the texts. */
public final class Fencing {
  private Fencing() {}

  /**
   * Returns when no producer of these ids can write any more, and what they had open is aborted.
   *
   * @param properties Java client properties, as a JSON object
   * @param ids JSON array of transactional ids
   * @param timeoutMs deadline; brokers also take it for the transactions' timeout, so it is below their limit
   * @return an object that says why not; empty if all are fenced
   */
  public static String fence(String properties, String ids, int timeoutMs) {
    List<String> names = new ArrayList<>();
    Json.parsed(ids).forEach(id -> names.add(id.asText()));
    ObjectNode failure = Json.object();
    try {
      Admin admin = Admin.create(Json.properties(properties));
      try {
        admin.fenceProducers(names, new FenceProducersOptions().timeoutMs(timeoutMs)).all().get();
      } finally {
        admin.close(Duration.ZERO);
      }
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      Json.failure(failure, e.getCause());
    } catch (KafkaException e) {
      Json.failure(failure, e); // the client does not start with these properties
    }
    return failure.toString();
  }
}
