package io.kmirror.spark;

import io.kmirror.lane.SourcePartition;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.utils.Utils;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A view of the current Kafka record as a Spark row; one object per slot, moved from record to record. */
final class RecordRow extends ViewRow {
  private static final long serialVersionUID = 1L;

  static final int TOPIC = 0;
  static final int PARTITION = 1;
  static final int OFFSET = 2;
  static final int TIMESTAMP = 3;
  static final int KEY = 4;
  static final int VALUE = 5;
  static final int HEADERS = 6;

  private static final StructType HEADER =
      new StructType(
          new StructField[] {
            new StructField("key", DataTypes.StringType, false, Metadata.empty()),
            new StructField("value", DataTypes.BinaryType, true, Metadata.empty())
          });

  static final StructType SCHEMA =
      new StructType(
          new StructField[] {
            new StructField("topic", DataTypes.StringType, false, Metadata.empty()),
            new StructField("partition", DataTypes.IntegerType, false, Metadata.empty()),
            new StructField("offset", DataTypes.LongType, false, Metadata.empty()),
            new StructField("timestamp", DataTypes.LongType, false, Metadata.empty()),
            new StructField("key", DataTypes.BinaryType, true, Metadata.empty()),
            new StructField("value", DataTypes.BinaryType, true, Metadata.empty()),
            new StructField("headers", new ArrayType(HEADER, false), true, Metadata.empty())
          });

  private UTF8String topic;
  private int partition;
  private long offset;
  private long timestamp;
  private transient byte[] key;
  private transient byte[] value;
  private transient Header[] headers;

  RecordRow at(SourcePartition from, Record record) {
    topic = from.topic;
    partition = from.source.partition();
    offset = record.offset();
    timestamp = record.timestamp();
    key = Utils.toNullableArray(record.key());
    value = Utils.toNullableArray(record.value());
    headers = record.headers();
    return this;
  }

  RecordRow at(UTF8String name, ConsumerRecord<byte[], byte[]> record) {
    topic = name;
    partition = record.partition();
    offset = record.offset();
    timestamp = record.timestamp();
    key = record.key();
    value = record.value();
    headers = record.headers().toArray();
    return this;
  }

  /** Null is not empty. */
  @Override
  public int numFields() {
    return HEADERS + 1;
  }

  @Override
  public boolean isNullAt(int column) {
    return switch (column) {
      case KEY -> key == null;
      case VALUE -> value == null;
      case HEADERS -> headers.length == 0;
      default -> false;
    };
  }

  @Override
  public int getInt(int column) {
    return partition;
  }

  @Override
  public long getLong(int column) {
    return column == OFFSET ? offset : timestamp;
  }

  @Override
  public UTF8String getUTF8String(int column) {
    return topic;
  }

  @Override
  public byte[] getBinary(int column) {
    return column == KEY ? key : value;
  }

  @Override
  public ArrayData getArray(int column) {
    if (headers.length == 0) {
      return null;
    }
    Object[] rows = new Object[headers.length];
    for (int i = 0; i < rows.length; i++) {
      UTF8String name = UTF8String.fromString(headers[i].key());
      rows[i] = new GenericInternalRow(new Object[] {name, headers[i].value()});
    }
    return new GenericArrayData(rows);
  }

  @Override
  public Object get(int column, DataType type) {
    return switch (column) {
      case TOPIC -> topic;
      case PARTITION -> partition;
      case OFFSET, TIMESTAMP -> getLong(column);
      case KEY, VALUE -> getBinary(column);
      case HEADERS -> getArray(column);
      default -> throw new IndexOutOfBoundsException(column);
    };
  }

  @Override
  public InternalRow copy() {
    RecordRow copy = new RecordRow();
    copy.topic = topic;
    copy.partition = partition;
    copy.offset = offset;
    copy.timestamp = timestamp;
    copy.key = key;
    copy.value = value;
    copy.headers = headers;
    return copy;
  }

  /** The headers column back as Kafka headers, in order; null when there are none. */
  static Headers headersOf(InternalRow row) {
    if (row.isNullAt(HEADERS)) {
      return null;
    }
    ArrayData array = row.getArray(HEADERS);
    RecordHeaders headers = new RecordHeaders();
    for (int i = 0; i < array.numElements(); i++) {
      InternalRow header = array.getStruct(i, HEADER.size());
      byte[] value = header.isNullAt(1) ? null : header.getBinary(1);
      headers.add(header.getUTF8String(0).toString(), value);
    }
    return headers;
  }
}
