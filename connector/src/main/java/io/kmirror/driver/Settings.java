package io.kmirror.driver;

import io.kmirror.tuning.Tuning;
import java.io.Serializable;
import java.util.HashMap;

/**
 * What is the same for every slot of a flow during one generation.
 *
 * @param flow "S->T"
 * @param generation one start of the flow's query; the newest owns the target
 * @param driver who started that generation, for people
 * @param group consumer group on the target that holds the positions
 * @param ownerTopic topic whose partition 0 in that group holds the owner's generation
 * @param offsetMapTopic topic on the target for the exact offset map, or "" when it is not kept
 * @param dlqTopic topic on the target for what a copy goes on without, or "" when nothing is kept
 * @param wholeBatches rows are record batches; otherwise they are records, for what looks inside them
 * @param exactlyOnce transactions, or idempotent writes with positions committed after the acks
 * @param commitIntervalMs time between two commits while records flow
 * @param commitBytesMax commit earlier when this many bytes wait
 * @param connectionsMax of a slot to each broker of a source that is far away
 * @param consumer Java client properties of the source's consumer
 * @param producer Java client properties of the target's producer
 * @param admin Java client properties of the target's admin client
 * @param tuning numbers by which lanes decide
 */
public record Settings(
    String flow,
    long generation,
    String driver,
    String group,
    String ownerTopic,
    String offsetMapTopic,
    String dlqTopic,
    boolean wholeBatches,
    boolean exactlyOnce,
    long commitIntervalMs,
    long commitBytesMax,
    int connectionsMax,
    HashMap<String, String> consumer,
    HashMap<String, String> producer,
    HashMap<String, String> admin,
    Tuning tuning)
    implements Serializable {

  /** Client properties hold secrets: never print them. */
  @Override
  public String toString() {
    return flow + " generation " + generation;
  }
}
