package io.kmirror.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** What executors say of their JVMs. */
final class ExecutorFiguresTest {
  /** The newest of each; one that is silent is gone, and comes back when it speaks. */
  @Test
  void theNewestOfEachExecutor() {
    ExecutorFigures.note(ExecutorFigures.of("1", "h1"));
    ExecutorFigures.note(ExecutorFigures.of("2", "h2"));
    ExecutorFigures.note(ExecutorFigures.of("2", "h3"));
    JsonNode all = Json.parsed(ExecutorFigures.json(60_000));
    assertEquals(2, all.size());
    for (JsonNode each : all) {
      assertEquals(each.required("executor").asText().equals("1") ? "h1" : "h3", each.required("host").asText());
      assertTrue(each.required("heap_bytes").asLong() > 0);
      assertTrue(each.required("heap_max_bytes").asLong() >= each.required("heap_bytes").asLong());
      assertTrue(each.required("threads").asInt() > 0);
    }
    assertEquals("[]", ExecutorFigures.json(-1));
    ExecutorFigures.note(ExecutorFigures.of("1", "h1"));
    assertEquals(1, Json.parsed(ExecutorFigures.json(60_000)).size());
  }
}
