package io.kmirror;

import io.kmirror.spark.FlowTable;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** Entry point: {@code spark.readStream.format("kmirror")} and {@code writeStream.format("kmirror")}. */
public final class Provider implements TableProvider, DataSourceRegister {

  @Override
  public String shortName() {
    return "kmirror";
  }

  @Override
  public StructType inferSchema(CaseInsensitiveStringMap options) {
    return FlowTable.schema(options);
  }

  @Override
  public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
    return new FlowTable(schema);
  }
}
