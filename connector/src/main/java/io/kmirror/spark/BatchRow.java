package io.kmirror.spark;

import io.kmirror.lane.SourcePartition;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A whole record batch as a Spark row: what its header says, and its bytes as they were fetched. */
final class BatchRow extends ViewRow {
  private static final long serialVersionUID = 1L;

  static final int TOPIC = 0;
  static final int PARTITION = 1;
  private static final int BASE_OFFSET = 2;
  private static final int LAST_OFFSET = 3;
  private static final int RECORD_COUNT = 4;
  private static final int MAX_TIMESTAMP = 5;
  private static final int CODEC = 6;
  static final int BATCH = 7;

  static final StructType SCHEMA =
      new StructType(
          new StructField[] {
            new StructField("topic", DataTypes.StringType, false, Metadata.empty()),
            new StructField("partition", DataTypes.IntegerType, false, Metadata.empty()),
            new StructField("base_offset", DataTypes.LongType, false, Metadata.empty()),
            new StructField("last_offset", DataTypes.LongType, false, Metadata.empty()),
            new StructField("record_count", DataTypes.IntegerType, true, Metadata.empty()),
            new StructField("max_timestamp", DataTypes.LongType, false, Metadata.empty()),
            new StructField("codec", DataTypes.StringType, false, Metadata.empty()),
            new StructField("batch", DataTypes.BinaryType, false, Metadata.empty())
          });

  private UTF8String topic;
  private int partition;
  private transient RecordBatch batch;
  private transient ByteBuffer bytes;

  BatchRow at(SourcePartition from, RecordBatch next, ByteBuffer nextBytes) {
    topic = from.topic;
    partition = from.source.partition();
    batch = next;
    bytes = nextBytes;
    return this;
  }

  @Override
  public int numFields() {
    return BATCH + 1;
  }

  /** Formats before v2 do not say how many records a compressed batch has. */
  @Override
  public boolean isNullAt(int column) {
    return column == RECORD_COUNT && batch.countOrNull() == null;
  }

  @Override
  public int getInt(int column) {
    return column == PARTITION ? partition : batch.countOrNull();
  }

  @Override
  public long getLong(int column) {
    return switch (column) {
      case BASE_OFFSET -> batch.baseOffset();
      case LAST_OFFSET -> batch.lastOffset();
      default -> batch.maxTimestamp();
    };
  }

  @Override
  public UTF8String getUTF8String(int column) {
    return column == TOPIC ? topic : UTF8String.fromString(batch.compressionType().name);
  }

  @Override
  public byte[] getBinary(int column) {
    int begin = bytes.arrayOffset() + bytes.position();
    return Arrays.copyOfRange(bytes.array(), begin, begin + bytes.remaining());
  }

  @Override
  public Object get(int column, DataType type) {
    return switch (column) {
      case TOPIC, CODEC -> getUTF8String(column);
      case PARTITION, RECORD_COUNT -> isNullAt(column) ? null : getInt(column);
      case BASE_OFFSET, LAST_OFFSET, MAX_TIMESTAMP -> getLong(column);
      case BATCH -> getBinary(column);
      default -> throw new IndexOutOfBoundsException(column);
    };
  }

  @Override
  public InternalRow copy() {
    BatchRow copy = new BatchRow();
    copy.topic = topic;
    copy.partition = partition;
    copy.batch = batch;
    copy.bytes = bytes;
    return copy;
  }
}
