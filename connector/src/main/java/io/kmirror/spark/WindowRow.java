package io.kmirror.spark;

import io.kmirror.audit.HeaderBytes;
import io.kmirror.audit.WindowRecords;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** A record of a window as a Spark row, or why the rest of the window could not be read. */
final class WindowRow extends ViewRow {
  private static final long serialVersionUID = 1L;

  private static final int WINDOW = 0;
  private static final int PLACE = 1;
  private static final int TIMESTAMP = 2;
  private static final int STAMPED = 3;
  private static final int KEY = 4;
  private static final int VALUE = 5;
  private static final int HEADERS = 6;
  private static final int BYTES = 7;
  private static final int TROUBLE = 8;

  static final StructType SCHEMA =
      new StructType(
          new StructField[] {
            new StructField("window", DataTypes.IntegerType, false, Metadata.empty()),
            new StructField("place", DataTypes.LongType, false, Metadata.empty()),
            new StructField("timestamp", DataTypes.LongType, false, Metadata.empty()),
            new StructField("stamped", DataTypes.BooleanType, false, Metadata.empty()),
            new StructField("key", DataTypes.BinaryType, true, Metadata.empty()),
            new StructField("value", DataTypes.BinaryType, true, Metadata.empty()),
            new StructField("headers", DataTypes.BinaryType, true, Metadata.empty()),
            new StructField("bytes", DataTypes.IntegerType, false, Metadata.empty()),
            new StructField("trouble", DataTypes.StringType, true, Metadata.empty())
          });

  private int window;
  private long place;
  private long timestamp;
  private boolean stamped;
  private transient byte[] key;
  private transient byte[] value;
  private transient byte[] headers;
  private int bytes;
  private UTF8String trouble;

  WindowRow at(WindowRecords records) {
    window = records.window().number();
    place = records.place();
    trouble = UTF8String.fromString(records.trouble());
    ConsumerRecord<byte[], byte[]> record = records.current();
    timestamp = record == null ? -1 : record.timestamp();
    stamped = record != null && record.timestampType() == TimestampType.LOG_APPEND_TIME;
    key = record == null ? null : record.key();
    value = record == null ? null : record.value();
    headers = record == null ? null : HeaderBytes.of(record.headers().toArray());
    bytes = record == null ? 0 : WindowRecords.sizeOf(record);
    return this;
  }

  @Override
  public int numFields() {
    return TROUBLE + 1;
  }

  @Override
  public boolean isNullAt(int column) {
    return switch (column) {
      case KEY -> key == null;
      case VALUE -> value == null;
      case HEADERS -> headers == null;
      case TROUBLE -> trouble == null;
      default -> false;
    };
  }

  @Override
  public boolean getBoolean(int column) {
    return stamped;
  }

  @Override
  public int getInt(int column) {
    return column == WINDOW ? window : bytes;
  }

  @Override
  public long getLong(int column) {
    return column == PLACE ? place : timestamp;
  }

  @Override
  public UTF8String getUTF8String(int column) {
    return trouble;
  }

  @Override
  public byte[] getBinary(int column) {
    return switch (column) {
      case KEY -> key;
      case VALUE -> value;
      default -> headers;
    };
  }

  @Override
  public Object get(int column, DataType type) {
    return switch (column) {
      case WINDOW, BYTES -> getInt(column);
      case PLACE, TIMESTAMP -> getLong(column);
      case STAMPED -> stamped;
      case KEY, VALUE, HEADERS -> getBinary(column);
      case TROUBLE -> trouble;
      default -> throw new IndexOutOfBoundsException(column);
    };
  }

  @Override
  public InternalRow copy() {
    WindowRow copy = new WindowRow();
    copy.window = window;
    copy.place = place;
    copy.timestamp = timestamp;
    copy.stamped = stamped;
    copy.key = key;
    copy.value = value;
    copy.headers = headers;
    copy.bytes = bytes;
    copy.trouble = trouble;
    return copy;
  }
}
