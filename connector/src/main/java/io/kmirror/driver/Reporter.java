package io.kmirror.driver;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries what lanes report to the driver, and its orders back. What did not arrive is reported again with
 * the next report; so what arrives may come twice.
 */
public final class Reporter {
  private static final Logger LOG = LoggerFactory.getLogger(Reporter.class);

  private final Driver driver;
  private final Supplier<String> location;
  private final int lastWordsMax;
  private final Deque<String> lastWords = new ArrayDeque<>();

  /** The other end. */
  public interface Driver {
    /**
     * Hands in reports.
     *
     * @return for each flow the parts of its order
     * @throws Exception it is not known whether they have arrived
     */
    Map<String, Object[]> accept(ArrayList<String> texts) throws Exception;

    /**
     * Asks what a slot has to do by the newest plan.
     *
     * @return the plan's version, and the work as JSON; null when none of *generation* was handed out
     * @throws Exception the driver does not answer
     */
    Object[] work(String flow, long generation, int slot) throws Exception;
  }

  /**
   * @param driver the other end
   * @param location where Spark finds this executor, or ""
   * @param lastWordsMax of last words and faults so many wait for a driver that does not answer
   */
  public Reporter(Driver driver, Supplier<String> location, int lastWordsMax) {
    this.driver = driver;
    this.location = location;
    this.lastWordsMax = lastWordsMax;
  }

  /** Hands in what *lanes* have to report; gives the orders of the flows, none when nobody answers. */
  public synchronized Map<String, Order> report(Collection<Progress> lanes) {
    List<Progress.Report> reports = new ArrayList<>();
    for (Progress lane : lanes) {
      try {
        reports.add(lane.take(location.get()));
      } catch (RuntimeException e) {
        LOG.error("a lane cannot report; others can", e);
      }
    }
    ArrayList<String> texts = new ArrayList<>(lastWords);
    reports.forEach(report -> texts.add(report.text()));
    Map<String, Order> orders = new HashMap<>();
    try {
      driver.accept(texts).forEach((flow, order) -> orders.put(flow, Order.of(order)));
      lastWords.clear();
    } catch (Exception e) {
      LOG.debug("the driver is gone or busy; it is told again", e);
      reports.forEach(Progress.Report::didNotArrive);
    }
    return orders;
  }

  /**
   * Asks what a slot has to do by the newest plan of its flow's generation; nothing when there is none.
   *
   * @throws Exception the driver does not answer
   */
  public Optional<Plan.Part> work(Settings settings, int slot) throws Exception {
    Object[] work = driver.work(settings.flow(), settings.generation(), slot);
    return Optional.ofNullable(work)
        .map(found -> new Plan.Part((Long) found[0], Plan.Work.of((String) found[1])));
  }

  /** Hands in the last report of a lane that nobody will ask again. */
  public Map<String, Order> reportLast(Progress lane) {
    return reportLast(lane.take(location.get()).text());
  }

  /** Tells the driver at once why a lane gives up. */
  public Map<String, Order> fault(Settings settings, FaultCode code) {
    var fault = Json.object();
    fault.put("flow", settings.flow()).put("generation", settings.generation());
    fault.put("fault", code.code);
    return reportLast(fault.toString());
  }

  private synchronized Map<String, Order> reportLast(String text) {
    if (lastWords.size() < lastWordsMax) {
      lastWords.add(text);
    }
    return report(List.of());
  }
}
