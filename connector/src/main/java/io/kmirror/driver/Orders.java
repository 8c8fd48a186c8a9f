package io.kmirror.driver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The newest order for each flow. */
public final class Orders {
  private final Map<String, Order> byFlow = new ConcurrentHashMap<>();

  public void take(Map<String, Order> orders) {
    byFlow.putAll(orders);
  }

  /** Whether a lane of *flow* with a plan of *version* has to end its batch. */
  public boolean yields(String flow, long generation, long version) {
    Order order = byFlow.get(flow);
    return order != null
        && (order.generation() > generation
            || order.generation() == generation && order.seam() > version);
  }

  /** The version of the plan that a lane of *flow* has to take up within its batch; 0 for none. */
  public long newer(String flow, long generation, long version) {
    Order order = byFlow.getOrDefault(flow, Order.NONE);
    boolean is = order.generation() == generation && order.seam() <= version && order.version() > version;
    return is ? order.version() : 0;
  }

  /** How fast the lanes of *flow* may read; "" for no limit. */
  public String limits(String flow) {
    return byFlow.getOrDefault(flow, Order.NONE).limits();
  }

  /** Whether the lanes of *flow* have to close. */
  public boolean stops(String flow, long generation) {
    return yields(flow, generation, Order.STOP - 1);
  }
}
