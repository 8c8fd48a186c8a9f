package io.kmirror.spark;

import org.apache.spark.sql.connector.read.streaming.PartitionOffset;

/**
 * What a slot reports at the end of a batch.
 *
 * @param epoch the batch that it took part in
 */
record SlotOffset(long epoch) implements PartitionOffset {
  private static final long serialVersionUID = 1L;
}
