package io.kmirror.driver;

import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * One task's work for one batch.
 *
 * @param settings of the flow
 * @param index number of the slot within the flow
 * @param version of the plan this was cut from
 * @param epoch number of the batch
 * @param transactionalIds of the slot's producers, which take turns; none where nothing is to be opened
 * @param shares source partitions to copy, possibly none
 * @param location Spark task location of the executor that ran this slot last, or ""
 */
public record Slot(
    Settings settings,
    int index,
    long version,
    long epoch,
    List<String> transactionalIds,
    List<Share> shares,
    String location)
    implements InputPartition {

  @Override
  public String[] preferredLocations() {
    return location.isEmpty() ? new String[0] : new String[] {location};
  }

  /** The same work for the same batch, by a newer plan. */
  public Slot by(Plan.Part newer) {
    return new Slot(
        settings, index, newer.version(), epoch, transactionalIds, newer.work().shares(), location);
  }

  /** Whether there is nothing to open, and nothing to do. */
  public boolean isIdle() {
    return transactionalIds.isEmpty();
  }

  public String name() {
    return settings.flow() + "/" + index;
  }
}
