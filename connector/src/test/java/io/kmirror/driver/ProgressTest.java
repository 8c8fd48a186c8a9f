package io.kmirror.driver;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** What a lane reports of itself; of its partitions see {@code ReporterTest}. */
final class ProgressTest {
  private final Progress progress = new Progress("A->B", 0, 1, TUNING.offsets());

  /** Until it has committed again. */
  @Test
  void whyATransactionWasLost() {
    assertFalse(reported().has("last_failure"));
    progress.failed(new TimeoutException("no answer"));
    for (int report = 0; report < 2; report++) {
      JsonNode failure = reported().required("last_failure");
      assertEquals("TimeoutException", failure.required("error").asText());
      assertEquals("no answer", failure.required("message").asText());
    }
    progress.succeeded();
    assertFalse(reported().has("last_failure"));
  }

  /** The parked partition says it. */
  @Test
  void ofARefusedRecordTheLaneSaysNothing() {
    progress.failed(new TimeoutException("no answer"));
    progress.failed(null);
    assertFalse(reported().has("last_failure"));
  }

  private JsonNode reported() {
    return Json.parsed(progress.take("here").text());
  }
}
