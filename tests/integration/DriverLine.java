package io.kmirror.spark;

import io.kmirror.driver.Reporter;
import java.util.ArrayList;
import java.util.Map;
import org.apache.spark.api.plugin.PluginContext;

/** Stands in for the connector's: a line on which nothing arrives. */
public final class DriverLine implements Reporter.Driver {
  public DriverLine(PluginContext context) {}

  @Override
  public Map<String, Object[]> accept(ArrayList<String> texts) {
    throw new IllegalStateException("lost");
  }

  @Override
  public Object[] work(String flow, long generation, int slot) {
    throw new IllegalStateException("lost");
  }
}
