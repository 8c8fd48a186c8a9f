package io.kmirror;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.apache.spark.storage.BlockManagerId;

/**
 * Carries reports from the executors' lanes to the driver, and orders back, over Spark's own RPC. Only
 * the JDK's own classes travel: an executor's RPC does not know the connector's jar, and one foreign
 * class in an answer ends the executor.
 */
public final class Plugin implements SparkPlugin {
  private static final long REPORT_INTERVAL_MS = 100;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static volatile PluginContext executor;

  @Override
  public DriverPlugin driverPlugin() {
    return new DriverPlugin() {
      @Override
      public Object receive(Object message) {
        ((List<?>) message).forEach(text -> Desk.accept((String) text));
        HashMap<String, long[]> orders = new HashMap<>();
        Desk.orders().forEach((flow, o) -> orders.put(flow, new long[] {o.generation(), o.version()}));
        return orders;
      }
    };
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return new Reporter();
  }

  private static final class Reporter implements ExecutorPlugin {
    private final ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "kmirror-reporter");
              thread.setDaemon(true);
              return thread;
            });

    @Override
    public void init(PluginContext context, Map<String, String> extraConf) {
      executor = context;
      timer.scheduleWithFixedDelay(
          () -> tell(Lanes.all().stream().map(Plugin::text).toList()),
          REPORT_INTERVAL_MS,
          REPORT_INTERVAL_MS,
          TimeUnit.MILLISECONDS);
    }

    @Override
    public void shutdown() {
      timer.shutdownNow();
      Lanes.closeAll();
      executor = null;
    }
  }

  private static String text(Lane lane) {
    // The plugin context asks for an address that executors of a cluster do not have.
    BlockManagerId here = SparkEnv.get().blockManager().blockManagerId();
    return lane.progress().take("executor_" + here.host() + "_" + here.executorId());
  }

  /** Hands in one lane's report at once. */
  static void report(Lane lane) {
    tell(List.of(text(lane)));
  }

  @SuppressWarnings("unchecked") // the driver half above answers with exactly this type
  private static void tell(List<String> texts) {
    PluginContext context = executor;
    if (context == null) {
      return;
    }
    try {
      Map<String, Lanes.Order> orders = new HashMap<>();
      ((Map<String, long[]>) context.ask(new ArrayList<>(texts)))
          .forEach((flow, order) -> orders.put(flow, new Lanes.Order(order[0], order[1])));
      Lanes.obey(orders);
    } catch (Exception e) {
      // The driver is gone or busy; the next report says what this one would have said.
      org.slf4j.LoggerFactory.getLogger(Plugin.class).debug("report not delivered", e);
    }
  }

  /** Tells the driver at once why a lane gives up. */
  static void fault(Settings settings, String kind, String message) {
    var fault = JSON.createObjectNode();
    fault.put("flow", settings.flow()).put("generation", settings.generation());
    fault.put("fault", kind).put("message", message);
    tell(List.of(fault.toString()));
  }
}
