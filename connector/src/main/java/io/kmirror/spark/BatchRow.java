package io.kmirror.spark;

import io.kmirror.lane.SourcePartition;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * A whole record batch as a Spark row: where it comes from, and which one of its lane's it is. Its bytes
 * stay where they were fetched. The sink, in the same task, asks the lane for them, and is refused if another
 * one has been handed out since.
 */
final class BatchRow extends ViewRow {
  private static final long serialVersionUID = 1L;

  private static final int TOPIC = 0;
  static final int PARTITION = 1;
  static final int BATCH = 2;

  static final StructType SCHEMA =
      new StructType(
          new StructField[] {
            new StructField("topic", DataTypes.StringType, false, Metadata.empty()),
            new StructField("partition", DataTypes.IntegerType, false, Metadata.empty()),
            new StructField("batch", DataTypes.LongType, false, Metadata.empty())
          });

  private UTF8String topic;
  private int partition;
  private long batch;

  BatchRow at(SourcePartition from, long number) {
    topic = from.topic;
    partition = from.source.partition();
    batch = number;
    return this;
  }

  @Override
  public int numFields() {
    return BATCH + 1;
  }

  @Override
  public boolean isNullAt(int column) {
    return false;
  }

  @Override
  public int getInt(int column) {
    return partition;
  }

  @Override
  public long getLong(int column) {
    return batch;
  }

  @Override
  public UTF8String getUTF8String(int column) {
    return topic;
  }

  @Override
  public Object get(int column, DataType type) {
    return switch (column) {
      case TOPIC -> topic;
      case PARTITION -> partition;
      case BATCH -> batch;
      default -> throw new IndexOutOfBoundsException(column);
    };
  }

  @Override
  public InternalRow copy() {
    BatchRow copy = new BatchRow();
    copy.topic = topic;
    copy.partition = partition;
    copy.batch = batch;
    return copy;
  }
}
