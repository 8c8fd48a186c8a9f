package io.kmirror;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lanes of this JVM. They live here, not in tasks, because a lane outlives the batch. With the
 * driver's {@link Desk} the only static state of the connector.
 */
final class Lanes {
  private static final Map<String, Lane> BY_SLOT = new HashMap<>();
  private static final Map<Long, Lane> BY_TASK = new HashMap<>();
  private static final Map<String, Order> ORDERS = new ConcurrentHashMap<>();

  private Lanes() {}

  /** The driver's word on a flow: plans older than *version* of that *generation* have to yield. */
  record Order(long generation, long version) {
    static final long STOP = Long.MAX_VALUE;
  }

  static Lane open(Slot slot, long task) {
    Lane old;
    synchronized (Lanes.class) {
      old = BY_SLOT.remove(slot.name());
    }
    Lane lane = old != null && old.continues(slot) ? old : fresh(old, slot);
    try {
      lane.assign(slot);
    } catch (RuntimeException e) {
      lane.close();
      throw e;
    }
    synchronized (Lanes.class) {
      BY_SLOT.put(slot.name(), lane);
      BY_TASK.put(task, lane);
    }
    return lane;
  }

  private static Lane fresh(Lane old, Slot slot) {
    if (old != null) {
      old.close();
    }
    return new Lane(slot, (kind, message) -> Plugin.fault(slot.settings(), kind, message));
  }

  static synchronized Lane ofTask(long task) {
    Lane lane = BY_TASK.get(task);
    if (lane == null) {
      throw new IllegalStateException("rows without a kmirror source in the same task: a shuffle?");
    }
    return lane;
  }

  /**
   * The task ended well: its lane commits and waits for the slot's next batch, unless the flow stops.
   * Spark runs a task without a source when a stopping flow plans an empty batch.
   */
  static void release(long task) {
    Lane lane;
    synchronized (Lanes.class) {
      lane = BY_TASK.get(task);
    }
    if (lane == null) {
      return;
    }
    lane.finish();
    synchronized (Lanes.class) {
      BY_TASK.remove(task);
    }
    if (stopped(lane)) {
      close(lane);
    } else {
      Plugin.report(List.of(lane)); // before the driver learns that the batch is over: it may be the last one
    }
  }

  /** The task failed: whatever its lane has open is void. */
  static void discard(long task) {
    Lane lane;
    synchronized (Lanes.class) {
      lane = BY_TASK.remove(task);
    }
    if (lane != null) {
      close(lane);
    }
  }

  private static void close(Lane lane) {
    synchronized (Lanes.class) {
      BY_SLOT.values().remove(lane);
    }
    Plugin.reportLast(lane);
    lane.close();
  }

  static boolean mustYield(Lane lane, long version) {
    Order order = ORDERS.get(lane.settings.flow());
    return order != null
        && (order.generation() > lane.settings.generation()
            || order.generation() == lane.settings.generation() && order.version() > version);
  }

  private static boolean stopped(Lane lane) {
    return mustYield(lane, Order.STOP - 1);
  }

  static void obey(Map<String, Order> orders) {
    ORDERS.putAll(orders);
    List<Lane> idle;
    synchronized (Lanes.class) {
      idle = BY_SLOT.values().stream().filter(l -> stopped(l) && !BY_TASK.containsValue(l)).toList();
    }
    idle.forEach(Lanes::close);
  }

  static synchronized List<Lane> all() {
    return List.copyOf(BY_SLOT.values());
  }

  static void closeAll() {
    all().forEach(Lanes::close);
  }
}
