package io.kmirror.driver;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The newest order for each flow. */
public final class Orders {
  private final Map<String, Order> byFlow = new ConcurrentHashMap<>();

  public void take(Map<String, Order> orders) {
    byFlow.putAll(orders);
  }

  /** Whether the lanes of *flow* have to end their batch and close: it stops, or a newer generation begins. */
  public boolean stops(String flow, long generation) {
    Order order = byFlow.getOrDefault(flow, Order.NONE);
    return order.generation() > generation || order.generation() == generation && order.isStop();
  }

  /** Whether a lane of *flow* with a plan of *version* has to take up a newer one within its batch. */
  public boolean hasNewer(String flow, long generation, long version) {
    Order order = byFlow.getOrDefault(flow, Order.NONE);
    return order.generation() == generation && order.version() > version && !order.isStop();
  }

  /** How fast the lanes of *flow* may read; "" for no limit. */
  public String limits(String flow) {
    return byFlow.getOrDefault(flow, Order.NONE).limits();
  }
}
