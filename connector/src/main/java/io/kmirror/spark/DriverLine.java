package io.kmirror.spark;

import io.kmirror.driver.Reporter;
import java.util.ArrayList;
import java.util.Map;
import org.apache.spark.api.plugin.PluginContext;

/** Spark's own line from an executor to the driver. */
public final class DriverLine implements Reporter.Driver {
  private final PluginContext context;

  public DriverLine(PluginContext context) {
    this.context = context;
  }

  @Override
  @SuppressWarnings("unchecked") // the plugin's driver half answers with exactly this type
  public Map<String, Object[]> accept(ArrayList<String> texts) throws Exception {
    return (Map<String, Object[]>) context.ask(texts);
  }

  @Override
  public Object[] work(String flow, long generation, int slot) throws Exception {
    return (Object[]) context.ask(new Object[] {flow, generation, slot});
  }
}
