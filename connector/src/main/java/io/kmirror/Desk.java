package io.kmirror;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The driver's desk: lanes hand in reports and faults, Python collects them and leaves orders. */
public final class Desk {
  private static final Deque<String> REPORTS = new ArrayDeque<>();
  private static final Map<String, Lanes.Order> ORDERS = new ConcurrentHashMap<>();
  private static final Map<String, Long> DRAINED = new ConcurrentHashMap<>();
  private static final Map<String, String> LOCATIONS = new ConcurrentHashMap<>();

  private Desk() {}

  /** Lanes of *flow* with a plan older than *version* finish their transaction and end the batch. */
  public static void order(String flow, long generation, long version) {
    ORDERS.put(flow, new Lanes.Order(generation, version));
    if (version != Lanes.Order.STOP) {
      DRAINED.remove(flow);
    }
    Lanes.obey(orders()); // lanes in this JVM need not wait until their reporter asks
  }

  /** Lanes of *flow* finish their transaction, end the batch and close. */
  public static void stop(String flow, long generation) {
    order(flow, generation, Lanes.Order.STOP);
  }

  /**
   * Everything handed in since the last call: a JSON array, in one string, because Python pays for
   * each call, and a hundred times for the exception at the end of an iterator.
   */
  public static String collect() {
    synchronized (REPORTS) {
      String reports = "[" + String.join(",", REPORTS) + "]";
      REPORTS.clear();
      return reports;
    }
  }

  /** Whether *flow* has come to rest after {@link #stop}: every lane has committed and closed. */
  public static boolean drained(String flow, long generation) {
    return DRAINED.getOrDefault(flow, -1L) >= generation;
  }

  /** A batch is about to be planned: tells whether it should be an empty one, because the flow stops. */
  static boolean stopping(String flow, long generation) {
    Lanes.Order order = ORDERS.get(flow);
    boolean stopping =
        order != null
            && order.version() == Lanes.Order.STOP
            && order.generation() >= generation;
    if (stopping) {
      DRAINED.put(flow, generation);
    }
    return stopping;
  }

  static HashMap<String, Lanes.Order> orders() {
    return new HashMap<>(ORDERS);
  }

  /**
   * Takes what an executor hands in.
   *
   * @param queuedMax Python collects several times a second; when it does not, no more than these wait
   * @throws IllegalStateException nobody collects; it has to be handed in again
   */
  static void accept(List<String> reports, int queuedMax) {
    synchronized (REPORTS) {
      if (REPORTS.size() >= queuedMax) {
        throw new IllegalStateException("nobody collects the lanes' reports");
      }
      REPORTS.addAll(reports);
    }
    reports.forEach(Desk::noteLocation);
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
