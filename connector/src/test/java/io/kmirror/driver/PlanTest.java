package io.kmirror.driver;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plan that Python has written (tests/unit/connector/test_junit.py), as lanes get it. */
final class PlanTest {
  private static final Path FILE = Path.of(System.getProperty("kmirror.plan"));

  @Test
  void everyFieldIsBound() {
    Slot[] slots = Plan.read(FILE).slots(3);
    assertEquals(2, slots.length);
    Slot slot = slots[0];
    assertEquals("A->B/0", slot.name());
    assertEquals(2, slot.version());
    assertEquals(3, slot.epoch());
    assertEquals(List.of("kmirror-A-B-0", "kmirror-A-B-0-b"), slot.transactionalIds());
    Share bounded = new Share("t", 3, "A.t", "A.t", "id", "tid", 5L, Poison.DLQ);
    assertEquals(bounded, slot.shares().get(0));
    assertNull(slot.shares().get(1).until());
    assertEquals(List.of(), slots[1].shares());
    Settings settings = slot.settings();
    assertEquals(7, settings.generation());
    assertEquals("d", settings.driver());
    assertEquals("__kmirror-A-B", settings.group());
    assertEquals("mm2-offsets.A.internal", settings.ownerTopic());
    assertEquals("__kmirror-offsets-A-B", settings.offsetMapTopic());
    assertEquals("kmirror-dlq.A", settings.dlqTopic());
    assertTrue(settings.wholeBatches());
    assertFalse(settings.exactlyOnce());
    assertEquals(100, settings.commitIntervalMs());
    assertEquals(1, settings.commitBytesMax());
    assertEquals(4, settings.connectionsMax());
    assertEquals(Map.of("client.id", "c"), settings.consumer());
    assertEquals(Map.of("linger.ms", "5"), settings.producer());
    assertEquals(Map.of("retries", "1"), settings.admin());
    assertEquals(TUNING, settings.tuning());
  }

  /** Spark ships it to executors. */
  @Test
  void aSlotTravels() throws IOException, ClassNotFoundException {
    Slot slot = Plan.read(FILE).slots(0)[0];
    var bytes = new ByteArrayOutputStream();
    try (var out = new ObjectOutputStream(bytes)) {
      out.writeObject(slot);
    }
    try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertEquals(slot, in.readObject());
    }
  }

  /** Also when it comes later; whoever gives up is not kept. */
  @Test
  void itIsAwaited(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("plan.json");
    var awaited = new FutureTask<>(() -> Plan.await(file));
    Thread waiting = new Thread(awaited);
    waiting.start();
    Files.createSymbolicLink(file, FILE);
    assertEquals(Plan.read(FILE), awaited.get(10, TimeUnit.SECONDS));
    waiting.join();

    var givenUp = new FutureTask<>(() -> Plan.await(folder.resolve("none.json")));
    waiting = new Thread(givenUp);
    waiting.start();
    waiting.interrupt();
    var error = assertThrows(ExecutionException.class, () -> givenUp.get(10, TimeUnit.SECONDS));
    assertInstanceOf(InterruptedIOException.class, error.getCause().getCause());
  }

  /** Otherwise a number that is spelt in two ways would be 0. */
  @Test
  void whatIsMissingOrUnknownIsRefused(@TempDir Path folder) throws IOException {
    String plan = Files.readString(FILE);
    for (String other : List.of("", "\"early_part\": 4, ")) {
      String broken = plan.replaceFirst("\"early_parts\": \\d+, ", other);
      assertFalse(broken.equals(plan));
      Path file = Files.writeString(folder.resolve("plan.json"), broken);
      assertThrows(UncheckedIOException.class, () -> Plan.read(file));
    }
  }
}
