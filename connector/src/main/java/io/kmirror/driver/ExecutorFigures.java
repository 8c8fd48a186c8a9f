package io.kmirror.driver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** What the executors' JVMs use, as each of them says: Spark itself keeps only the most of each. */
public final class ExecutorFigures {
  private static final Map<String, Told> TOLD = new ConcurrentHashMap<>();

  private ExecutorFigures() {}

  private record Told(JsonNode figures, long atNanos) {}

  /** What this executor says; {@link #note} takes it. */
  public static String of(String executor, String host) {
    return JvmFigures.figures().put("executor", executor).put("host", host).toString();
  }

  /** Takes what an executor says. */
  public static void note(String said) {
    JsonNode figures = Json.parsed(said);
    TOLD.put(figures.required("executor").asText(), new Told(figures, System.nanoTime()));
  }

  /** What was said last, as a JSON array; executors that were silent for *silentMsMax* are forgotten. */
  public static String json(long silentMsMax) {
    long now = System.nanoTime();
    TOLD.values().removeIf(told -> now - told.atNanos() > TimeUnit.MILLISECONDS.toNanos(silentMsMax));
    ArrayNode all = Json.array();
    TOLD.values().forEach(told -> all.add(told.figures()));
    return all.toString();
  }
}
