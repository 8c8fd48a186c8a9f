package io.kmirror;

import io.kmirror.driver.ExecutorFigures;
import io.kmirror.driver.JvmFigures;
import io.kmirror.driver.Mailbox;
import io.kmirror.driver.Order;
import io.kmirror.driver.Plan;
import io.kmirror.lane.Lanes;
import java.nio.file.Path;

/** The driver's desk, for Python: it collects what lanes report, and leaves orders. */
public final class Desk {
  private Desk() {}

  /** Lanes take up the plan in *file* within their batch. */
  public static void handOut(String file) {
    Mailbox.handOut(Plan.read(Path.of(file)));
    Lanes.obey(Mailbox.orders()); // lanes in this JVM need not wait until their reporter asks
  }

  /** Lanes of *flow* read no faster than this, from now on; "" for no limit. */
  public static void limit(String flow, String limits) {
    Mailbox.limit(flow, limits);
    Lanes.obey(Mailbox.orders());
  }

  /** Lanes of *flow* finish their transaction, end the batch and close. */
  public static void stop(String flow, long generation) {
    Mailbox.stop(flow, generation);
    Lanes.obey(Mailbox.orders());
  }

  /**
   * Everything handed in since the last call: a JSON array, in one string, because Python pays for
   * each call, and a hundred times for the exception at the end of an iterator.
   */
  public static String collect() {
    return Mailbox.collect();
  }

  /** Whether *flow* has come to rest after {@link #stop}: every lane has committed and closed. */
  public static boolean drained(String flow, long generation) {
    return planned(flow, generation) == Order.STOP;
  }

  /**
   * Which version of its plan every lane of *flow* has at least; 0 before its first batch. They hold no
   * partition that is in no plan since, and what they had of it is committed.
   */
  public static long planned(String flow, long generation) {
    return Mailbox.planned(flow, generation);
  }

  /** What this JVM uses, as JSON. */
  public static String jvm() {
    return JvmFigures.json();
  }

  /** What the JVM of each executor uses that was heard of in the last *silentMsMax*, as JSON. */
  public static String executors(long silentMsMax) {
    return ExecutorFigures.json(silentMsMax);
  }
}
