package io.kmirror;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.Metadata;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.BinaryView;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.TimestampNanosVal;
import org.apache.spark.unsafe.types.UTF8String;
import org.apache.spark.unsafe.types.VariantVal;

/** A view of the current Kafka record as a Spark row; one object per slot, moved from record to record. */
final class RecordRow extends InternalRow {
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
  private transient ConsumerRecord<byte[], byte[]> record;

  RecordRow at(UTF8String topicOfRecord, ConsumerRecord<byte[], byte[]> next) {
    topic = topicOfRecord;
    record = next;
    return this;
  }

  @Override
  public int numFields() {
    return HEADERS + 1;
  }

  @Override
  public boolean isNullAt(int column) {
    return switch (column) {
      case KEY -> record.key() == null;
      case VALUE -> record.value() == null;
      case HEADERS -> isEmpty(record.headers());
      default -> false;
    };
  }

  @Override
  public int getInt(int column) {
    return record.partition();
  }

  @Override
  public long getLong(int column) {
    return column == OFFSET ? record.offset() : record.timestamp();
  }

  @Override
  public UTF8String getUTF8String(int column) {
    return topic;
  }

  @Override
  public byte[] getBinary(int column) {
    return column == KEY ? record.key() : record.value();
  }

  @Override
  public ArrayData getArray(int column) {
    return isEmpty(record.headers()) ? null : toArray(record.headers());
  }

  @Override
  public Object get(int column, DataType type) {
    return switch (column) {
      case TOPIC -> topic;
      case PARTITION -> record.partition();
      case OFFSET, TIMESTAMP -> getLong(column);
      case KEY, VALUE -> getBinary(column);
      case HEADERS -> getArray(column);
      default -> throw new IndexOutOfBoundsException(column);
    };
  }

  @Override
  public void setNullAt(int column) {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public void update(int column, Object value) {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public InternalRow copy() {
    return new RecordRow().at(topic, record);
  }

  @Override
  public boolean getBoolean(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public byte getByte(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public short getShort(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public float getFloat(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public double getDouble(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public CalendarInterval getInterval(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public TimestampNanosVal getTimestampNTZNanos(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public TimestampNanosVal getTimestampLTZNanos(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public VariantVal getVariant(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public BinaryView getBinaryView(int column) {
    return BinaryView.fromBytes(getBinary(column));
  }

  @Override
  public MapData getMap(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public Decimal getDecimal(int column, int precision, int scale) {
    throw noSuchColumn(column);
  }

  @Override
  public InternalRow getStruct(int column, int fields) {
    throw noSuchColumn(column);
  }

  private static RuntimeException noSuchColumn(int column) {
    return new UnsupportedOperationException("column " + column + " has another type");
  }

  private static boolean isEmpty(Headers headers) {
    return !headers.iterator().hasNext();
  }

  private static ArrayData toArray(Headers headers) {
    Header[] all = headers.toArray();
    Object[] rows = new Object[all.length];
    for (int i = 0; i < all.length; i++) {
      UTF8String key = UTF8String.fromString(all[i].key());
      rows[i] = new GenericInternalRow(new Object[] {key, all[i].value()});
    }
    return new GenericArrayData(rows);
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
