package io.kmirror;

import io.kmirror.driver.ExecutorFigures;
import io.kmirror.driver.Mailbox;
import io.kmirror.driver.Reporter;
import io.kmirror.lane.Lanes;
import io.kmirror.spark.DriverLine;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.LoggerFactory;

/**
 * Carries reports from the executors' lanes to the driver, and orders back, over Spark's own RPC. Only
 * the JDK's own classes travel: an executor's RPC does not know the connector's jar, and one foreign
 * class in an answer ends the executor.
 */
public final class Plugin implements SparkPlugin {
  /** Before what Python's table of numbers calls them; no plan is there yet. */
  private static final String SETTINGS = "spark.kmirror.";

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      private volatile int queuedMax;

      @Override
      public Map<String, String> init(SparkContext spark, PluginContext context) {
        queuedMax = number(context, "queued_reports_max");
        return Map.of();
      }

      @Override
      public Object receive(Object message) {
        if (message instanceof String said) {
          ExecutorFigures.note(said);
          return null;
        }
        if (message instanceof Object[] asked) {
          return Mailbox.work((String) asked[0], (Long) asked[1], (Integer) asked[2]);
        }
        Mailbox.accept(((List<?>) message).stream().map(String.class::cast).toList(), queuedMax);
        HashMap<String, Object[]> orders = new HashMap<>();
        Mailbox.orders().forEach((flow, order) -> orders.put(flow, order.parts()));
        return orders;
      }
    };
  }

  private static int number(PluginContext context, String name) {
    return Integer.parseInt(context.conf().get(SETTINGS + name));
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Executor();
  }

  private static final class Executor implements ExecutorPlugin {
    private final ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "kmirror-reporter");
              thread.setDaemon(true);
              return thread;
            });

    @Override
    public void init(PluginContext context, Map<String, String> extraConf) {
      int queuedMax = number(context, "queued_faults_max");
      Lanes.connect(new Reporter(new DriverLine(context), Plugin::location, queuedMax));
      int intervalMs = number(context, "interval_ms");
      timer.scheduleWithFixedDelay(Executor::reportAll, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
      int figuresMs = number(context, "executor_figures_ms");
      timer.scheduleWithFixedDelay(() -> sayFigures(context), 0, figuresMs, TimeUnit.MILLISECONDS);
    }

    /** Nobody waits for an answer: a driver that is gone is none of these figures' business. */
    private static void sayFigures(PluginContext context) {
      try {
        BlockManagerId here = here();
        if (here != null) {
          context.send(ExecutorFigures.of(here.executorId(), here.host()));
        }
      } catch (IOException | RuntimeException e) {
        LoggerFactory.getLogger(Plugin.class).debug("no figures this time", e);
      }
    }

    /** A timer whose task fails once never runs it again. */
    private static void reportAll() {
      try {
        Lanes.reportAll();
      } catch (RuntimeException e) {
        LoggerFactory.getLogger(Plugin.class).error("no report this time", e);
      }
    }

    @Override
    public void shutdown() {
      timer.shutdownNow();
      Lanes.disconnect();
    }
  }

  private static String location() {
    BlockManagerId here = here();
    return here == null ? "" : "executor_" + here.host() + "_" + here.executorId();
  }

  /** Who and where this executor is; null while it starts, when it has no lane. */
  private static BlockManagerId here() {
    // The plugin context asks for an address that executors of a cluster do not have.
    return SparkEnv.get().blockManager().blockManagerId();
  }
}
