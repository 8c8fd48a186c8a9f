package io.kmirror.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.kmirror.driver.Settings;
import io.kmirror.tuning.PlanTuning;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A row stands for the batch that its lane has handed out last. */
final class PackerTest {
  private static final Settings SETTINGS =
      new Settings(
          "A->B", 1, "d", "g", "o", "", "", true, true, 100, 1, 1,
          new HashMap<>(Map.of("bootstrap.servers", "127.0.0.1:1")),
          new HashMap<>(),
          new HashMap<>(),
          PlanTuning.TUNING);

  @Test
  void anotherBatchIsRefused() {
    Throttle throttle = new Throttle(0, System::nanoTime);
    try (Intake intake = new Intake(SETTINGS, throttle, new HashMap<>(), null, null, p -> {}, p -> {});
        Packer packer = new Packer(PlanTuning.TUNING.batches(), intake, null, null, new Failures(1))) {
      var refused = assertThrows(IllegalStateException.class, () -> packer.send("A.t", 0, 1));
      assertEquals("batch 1 comes when 0 is handed out", refused.getMessage());
    }
  }
}
