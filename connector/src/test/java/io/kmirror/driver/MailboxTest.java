package io.kmirror.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which lane has to do what by the newest plan, and what the driver knows of it. */
final class MailboxTest {
  private static final Plan WRITTEN = Plan.read(Path.of(System.getProperty("kmirror.plan")));
  private static final String FLOW = WRITTEN.settings().flow();
  private static final long GENERATION = WRITTEN.settings().generation();

  private final Orders orders = new Orders();

  private static Plan plan(long version) {
    return new Plan(version, WRITTEN.settings(), WRITTEN.slots());
  }

  private void handOut(long version) {
    Mailbox.handOut(plan(version));
    orders.take(Mailbox.orders());
  }

  private static void report(int slot, long generation, long plan) {
    String text = "{\"flow\": \"%s\", \"slot\": %d, \"generation\": %d, \"plan\": %d, \"location\": \"\"}";
    Mailbox.accept(List.of(text.formatted(FLOW, slot, generation, plan)), 1000);
    Mailbox.collect();
  }

  /** Other tests leave their traces in the same mailbox. */
  @BeforeEach
  void aNewBatch() {
    handOut(10);
    plan(10).slots(0);
    report(0, GENERATION, 10);
    report(1, GENERATION, 10);
  }

  @Test
  void lanesTakeUpTheNewestPlanOfTheirGenerationAndStopForANewerOne() {
    handOut(12);
    assertTrue(orders.hasNewer(FLOW, GENERATION, 10));
    assertTrue(orders.hasNewer(FLOW, GENERATION, 11));
    assertFalse(orders.hasNewer(FLOW, GENERATION, 12));
    assertFalse(orders.stops(FLOW, GENERATION));
    assertFalse(orders.hasNewer(FLOW, GENERATION - 1, 11));
    assertTrue(orders.stops(FLOW, GENERATION - 1));
    assertFalse(orders.hasNewer(FLOW, GENERATION + 1, 11));
    assertFalse(orders.stops(FLOW, GENERATION + 1));
  }

  @Test
  void theWorkIsThatOfTheNewestPlan() {
    handOut(12);
    Object[] work = Mailbox.work(FLOW, GENERATION, 0);
    assertEquals(12L, work[0]);
    assertEquals(WRITTEN.slots().get(0), Plan.Work.of((String) work[1]));
    assertNull(Mailbox.work(FLOW, GENERATION - 1, 0));
    assertNull(Mailbox.work(FLOW, GENERATION + 1, 0));
  }

  @Test
  void nothingIsTakenUpWhenTheFlowStops() {
    Mailbox.stop(FLOW, GENERATION);
    orders.take(Mailbox.orders());
    assertTrue(orders.stops(FLOW, GENERATION));
    assertFalse(orders.hasNewer(FLOW, GENERATION, 10));
    assertNull(Mailbox.work(FLOW, GENERATION, 0));
    plan(12).slots(1);
    assertEquals(Order.STOP, Mailbox.planned(FLOW, GENERATION));
  }

  /** Whoever waits for a plan waits for the last lane; reports may come late. */
  @Test
  void aPlanIsInEffectWhenEveryLaneHasIt() {
    assertEquals(10, Mailbox.planned(FLOW, GENERATION));
    assertEquals(0, Mailbox.planned(FLOW, GENERATION + 1));
    report(0, GENERATION, 12);
    assertEquals(10, Mailbox.planned(FLOW, GENERATION));
    report(1, GENERATION, 11);
    assertEquals(11, Mailbox.planned(FLOW, GENERATION));
    report(0, GENERATION, 10);
    report(1, GENERATION, 12);
    assertEquals(12, Mailbox.planned(FLOW, GENERATION));
    plan(13).slots(1);
    assertEquals(13, Mailbox.planned(FLOW, GENERATION));
  }

  @Test
  void anOrderTravelsInParts() {
    Order order = new Order(1, 3, "x");
    assertEquals(Map.of(FLOW, order), Map.of(FLOW, Order.of(order.parts())));
  }
}
