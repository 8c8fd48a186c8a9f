package io.kmirror.driver;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The driver's end of the line to the lanes: their reports wait here for Python, its orders for them. */
public final class Mailbox {
  private static final Deque<String> REPORTS = new ArrayDeque<>();
  private static final Map<String, Order> ORDERS = new ConcurrentHashMap<>();
  private static final Map<String, Order> PLANNED = new ConcurrentHashMap<>();
  private static final Map<String, String> LOCATIONS = new ConcurrentHashMap<>();

  private Mailbox() {}

  /** Leaves an order for the lanes of *flow*. */
  public static void order(String flow, long generation, long version) {
    ORDERS.compute(flow, (f, o) -> new Order(generation, version, o == null ? "" : o.limits()));
  }

  /** Leaves the limits for the lanes of *flow*, beside whatever was ordered. */
  public static void limit(String flow, String limits) {
    ORDERS.compute(
        flow,
        (f, o) -> {
          Order before = o == null ? Order.NONE : o;
          return new Order(before.generation(), before.version(), limits);
        });
  }

  /** Takes everything handed in since the last call, as a JSON array. */
  public static String collect() {
    synchronized (REPORTS) {
      String reports = "[" + String.join(",", REPORTS) + "]";
      REPORTS.clear();
      return reports;
    }
  }

  /**
   * The version of the plan that *flow* planned its last batch from, {@link Order#STOP} for the empty one of
   * a flow that stops, 0 for none. Spark plans a batch when all tasks of the one before have ended, so
   * every lane has committed what it had, and none has a partition any more that is not in that plan.
   */
  public static long planned(String flow, long generation) {
    Order planned = PLANNED.get(flow);
    return planned == null || planned.generation() < generation ? 0 : planned.version();
  }

  /** A batch is about to be planned: tells whether it should be an empty one, because the flow stops. */
  static boolean stopping(String flow, long generation, long version) {
    Order order = ORDERS.get(flow);
    boolean stopping =
        order != null
            && order.version() == Order.STOP
            && order.generation() >= generation;
    PLANNED.put(flow, new Order(generation, stopping ? Order.STOP : version, ""));
    return stopping;
  }

  /** Gives the newest order for each flow. */
  public static HashMap<String, Order> orders() {
    return new HashMap<>(ORDERS);
  }

  /**
   * Takes what an executor hands in.
   *
   * @param queuedMax Python collects several times a second; when it does not, no more than these wait
   * @throws IllegalStateException nobody collects; it has to be handed in again
   */
  public static void accept(List<String> reports, int queuedMax) {
    synchronized (REPORTS) {
      if (REPORTS.size() >= queuedMax) {
        throw new IllegalStateException("nobody collects the lanes' reports");
      }
      REPORTS.addAll(reports);
    }
    reports.forEach(Mailbox::noteLocation);
  }

  private static void noteLocation(String report) {
    JsonNode node = Json.parsed(report);
    if (node.hasNonNull("location")) {
      LOCATIONS.put(node.path("flow").asText() + "/" + node.path("slot").asInt(), node.path("location").asText());
    }
  }

  static String location(String flow, int slot) {
    return LOCATIONS.getOrDefault(flow + "/" + slot, "");
  }
}
