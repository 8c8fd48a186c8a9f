package io.kmirror.audit;

import java.io.Serializable;

/**
 * A range of offsets of one partition that is read as a whole.
 *
 * @param number which of the plan's windows it is
 * @param topic of the partition
 * @param partition its number
 * @param start its first offset
 * @param end the offset behind it
 */
public record Window(int number, String topic, int partition, long start, long end) implements Serializable {

  boolean follows(Window other) {
    return isBeside(other) && start == other.end;
  }

  /** Whether both are of the same partition. */
  boolean isBeside(Window other) {
    return topic.equals(other.topic) && partition == other.partition;
  }
}
