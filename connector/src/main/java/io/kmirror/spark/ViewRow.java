package io.kmirror.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.BinaryView;
import org.apache.spark.unsafe.types.CalendarInterval;
import org.apache.spark.unsafe.types.TimestampNanosVal;
import org.apache.spark.unsafe.types.VariantVal;

/** A read-only view of something as a Spark row; says no to the types of columns that we never have. */
abstract class ViewRow extends InternalRow {
  private static final long serialVersionUID = 1L;

  @Override
  public void setNullAt(int column) {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public void update(int column, Object value) {
    throw new UnsupportedOperationException("read-only");
  }

  @Override
  public byte[] getBinary(int column) {
    throw noSuchColumn(column);
  }

  @Override
  public BinaryView getBinaryView(int column) {
    return BinaryView.fromBytes(getBinary(column));
  }

  @Override
  public ArrayData getArray(int column) {
    throw noSuchColumn(column);
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
}
