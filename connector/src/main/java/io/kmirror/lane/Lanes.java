package io.kmirror.lane;

import io.kmirror.driver.FaultCode;
import io.kmirror.driver.Order;
import io.kmirror.driver.Orders;
import io.kmirror.driver.Reporter;
import io.kmirror.driver.Settings;
import io.kmirror.driver.Slot;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lanes of this JVM. They live here, not in tasks, because a lane outlives the batch. With the
 * driver's {@link Mailbox} the only static state of the connector.
 */
public final class Lanes {
  private static final Logger LOG = LoggerFactory.getLogger(Lanes.class);
  private static final Map<String, Lane> BY_SLOT = new HashMap<>();
  private static final Map<Long, Lane> BY_TASK = new HashMap<>();
  private static final Orders ORDERS = new Orders();
  private static volatile Reporter reporter;

  private Lanes() {}

  /** From now on lanes report through *line*. */
  public static void connect(Reporter line) {
    reporter = line;
  }

  /** Closes all lanes; from now on nobody is reported to. */
  public static void disconnect() {
    all().forEach(Lanes::close);
    reporter = null;
  }

  /**
   * Opens the slot's lane for a task, or goes on with the one that is there.
   *
   * @param again whether the task has run before
   */
  public static Lane open(Slot slot, long task, boolean again) {
    Lane old;
    synchronized (Lanes.class) {
      old = BY_SLOT.remove(slot.name());
    }
    Lane lane = old != null && old.continues(slot) ? old : fresh(old, slot);
    try {
      lane.assign(again ? newest(slot) : slot);
    } catch (RuntimeException e) {
      lane.close();
      throw e;
    }
    synchronized (Lanes.class) {
      BY_SLOT.put(slot.name(), lane);
      BY_TASK.put(task, lane);
    }
    shareHeap();
    return lane;
  }

  /** Gives each lane as much of the heap for answers as any other. */
  private static void shareHeap() {
    List<Lane> lanes = all();
    for (Lane lane : lanes) {
      int parts = lane.settings.tuning().fetch().heapParts();
      lane.intake().room(Runtime.getRuntime().maxMemory() / parts / lanes.size());
    }
  }

  /** A task that runs again has its batch's plan; by now another lane may have partitions of that. */
  private static Slot newest(Slot slot) {
    Reporter to = reporter;
    if (to == null) {
      return slot;
    }
    try {
      return to.work(slot.settings(), slot.index())
          .filter(newest -> newest.version() > slot.version())
          .map(slot::by)
          .orElse(slot);
    } catch (Exception e) {
      throw new IllegalStateException("the driver does not tell the newest plan", e);
    }
  }

  private static Lane fresh(Lane old, Slot slot) {
    if (old != null) {
      old.close();
    }
    report(List.of()); // its limits hold from its first record on
    return new Lane(slot, ORDERS, code -> fault(slot.settings(), code));
  }

  public static synchronized Lane ofTask(long task) {
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
  public static void release(long task) {
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
      report(List.of(lane)); // before the driver learns that the batch is over: it may be the last one
    }
  }

  /** The task failed: whatever its lane has open is void. */
  public static void discard(long task) {
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
    Reporter to = reporter;
    if (to != null) {
      obey(to.reportLast(lane.progress()));
    }
    lane.close();
    shareHeap();
  }

  private static boolean stopped(Lane lane) {
    return ORDERS.stops(lane.settings.flow(), lane.settings.generation());
  }

  private static void fault(Settings settings, FaultCode code) {
    Reporter to = reporter;
    if (to != null) {
      obey(to.fault(settings, code));
    }
  }

  /** Hands in what all lanes have to report, and does what the driver orders. */
  public static void reportAll() {
    report(all());
  }

  private static void report(List<Lane> lanes) {
    Reporter to = reporter;
    if (to != null) {
      obey(to.report(lanes.stream().map(Lane::progress).toList()));
    }
  }

  public static void obey(Map<String, Order> orders) {
    ORDERS.take(orders);
    all().forEach(Lanes::offerPlan);
    List<Lane> idle;
    synchronized (Lanes.class) {
      idle = BY_SLOT.values().stream().filter(l -> stopped(l) && !BY_TASK.containsValue(l)).toList();
    }
    idle.forEach(Lanes::close);
  }

  /** Has a lane take up a newer plan, if there is one. */
  private static void offerPlan(Lane lane) {
    Reporter to = reporter;
    Settings of = lane.settings;
    if (to == null || !ORDERS.hasNewer(of.flow(), of.generation(), lane.has.known())) {
      return;
    }
    try {
      to.work(of, lane.slot)
          .ifPresent(newest -> lane.has.offer(Assignment.Offer.of(newest.version(), newest.work().shares())));
    } catch (Exception e) {
      LOG.debug("the driver is gone or busy; it is asked again", e);
    }
  }

  private static synchronized List<Lane> all() {
    return List.copyOf(BY_SLOT.values());
  }
}
