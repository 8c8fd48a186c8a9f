package io.kmirror.driver;

import com.fasterxml.jackson.databind.JsonNode;
import io.kmirror.tuning.Binding;
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
  private static final Map<String, Plan> PLANS = new ConcurrentHashMap<>();
  private static final Map<String, Planned> PLANNED = new ConcurrentHashMap<>();
  private static final Map<String, Planned> TAKEN_UP = new ConcurrentHashMap<>();
  private static final Map<String, String> LOCATIONS = new ConcurrentHashMap<>();

  /** The plan of a batch, of so many slots; or, of one slot, that its lane has taken up within the batch. */
  private record Planned(long generation, long version, int slots) {
    Planned newest(Planned other) {
      boolean older =
          generation < other.generation || generation == other.generation && version < other.version;
      return older ? other : this;
    }
  }

  private Mailbox() {}

  /** Has the lanes of *flow* end their batch and close. */
  public static void stop(String flow, long generation) {
    PLANS.remove(flow);
    order(flow, generation, Order.STOP);
  }

  /** Leaves a plan for the lanes, which take it up within their batch. */
  public static void handOut(Plan plan) {
    String flow = plan.settings().flow();
    PLANS.put(flow, plan);
    order(flow, plan.settings().generation(), plan.version());
  }

  private static void order(String flow, long generation, long version) {
    ORDERS.compute(flow, (f, o) -> new Order(generation, version, o == null ? "" : o.limits()));
  }

  /** Gives the newest plan's version, and what a slot has to do by it; null without one of *generation*. */
  public static Object[] work(String flow, long generation, int slot) {
    Plan plan = PLANS.get(flow);
    return plan == null || plan.settings().generation() != generation
        ? null
        : new Object[] {plan.version(), Binding.json(plan.slots().get(slot))};
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
   * The version of the plan that every lane of *flow* has at least, {@link Order#STOP} for the empty one of a
   * flow that stops, 0 for none. No lane has a partition any more that is in no plan since, and what it
   * had of it is committed: Spark plans a batch when all tasks of the one before have ended, and a lane
   * that takes a plan up within the batch says so when it has let go.
   */
  public static long planned(String flow, long generation) {
    Planned batch = PLANNED.get(flow);
    if (batch == null || batch.generation() < generation) {
      return 0;
    }
    long oldest = batch.slots() == 0 ? batch.version() : Order.STOP;
    for (int slot = 0; slot < batch.slots(); slot++) {
      oldest = Math.min(oldest, batch.newest(TAKEN_UP.getOrDefault(slotName(flow, slot), batch)).version());
    }
    return oldest;
  }

  private static String slotName(String flow, int slot) {
    return flow + "/" + slot;
  }

  /** A batch is about to be planned: tells whether it should be an empty one, because the flow stops. */
  static boolean stopping(String flow, long generation, long version, int slots) {
    Order order = ORDERS.get(flow);
    boolean stopping =
        order != null
            && order.isStop()
            && order.generation() >= generation;
    PLANNED.put(flow, new Planned(generation, stopping ? Order.STOP : version, stopping ? 0 : slots));
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
    reports.forEach(Mailbox::note);
  }

  private static void note(String report) {
    JsonNode node = Json.parsed(report);
    if (node.hasNonNull("location")) { // a fault has none
      String slot = slotName(node.path("flow").asText(), node.path("slot").asInt());
      LOCATIONS.put(slot, node.path("location").asText());
      var has = new Planned(node.path("generation").asLong(), node.path("plan").asLong(), 1);
      TAKEN_UP.merge(slot, has, Planned::newest);
    }
  }

  static String location(String flow, int slot) {
    return LOCATIONS.getOrDefault(slotName(flow, slot), "");
  }
}
