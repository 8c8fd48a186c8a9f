package io.kmirror;

import io.kmirror.driver.Orders;
import io.kmirror.driver.Plan;
import io.kmirror.driver.Slot;
import io.kmirror.lane.Intake;
import io.kmirror.lane.Lane;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The lanes of a flow without Spark: what it costs that batches are Spark's rows is what kmirror needs
 * more than this. For measuring only: it makes no new plans.
 */
public final class BareCopier {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final List<Thread> threads = new ArrayList<>();
  private volatile String failure = "";
  private volatile boolean stopped;

  /** Starts a thread for each slot of the plan. */
  public BareCopier(String plan) {
    for (Slot slot : Plan.await(Path.of(plan)).slots(0)) {
      Thread thread = new Thread(() -> run(slot), "bare copier " + slot.index());
      threads.add(thread);
      thread.start();
    }
  }

  /** Whether all slots are still being copied. */
  public boolean active() {
    return threads.stream().allMatch(Thread::isAlive);
  }

  /** Why one is not, or nothing. */
  public String failure() {
    return failure;
  }

  /** Commits and ends. */
  public void stop() throws InterruptedException {
    stopped = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** The same slot of a plan that no other one replaces: lanes yield to newer plans. */
  private static Slot forGood(Slot slot) {
    return new Slot(
        slot.settings(),
        slot.index(),
        Long.MAX_VALUE,
        slot.epoch(),
        slot.transactionalIds(),
        slot.shares(),
        slot.location());
  }

  private void run(Slot planned) {
    Slot slot = forGood(planned);
    try (Lane lane = new Lane(slot, new Orders(), code -> failure = code.code)) {
      lane.assign(slot);
      Map<UTF8String, String> targets = new HashMap<>();
      slot.shares().forEach(s -> targets.put(UTF8String.fromString(s.topic()), s.target()));
      Intake intake = lane.intake();
      while (!stopped) {
        while (lane.next(System.nanoTime() + LOOK_NANOS, false)) {
          String topic = targets.get(intake.current().topic);
          lane.packer().send(topic, intake.current().source.partition(), intake.number());
        }
      }
      lane.finish();
    } catch (RuntimeException e) {
      failure = e.toString();
    }
  }
}
