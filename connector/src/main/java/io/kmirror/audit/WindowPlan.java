package io.kmirror.audit;

import com.fasterxml.jackson.databind.ObjectReader;
import io.kmirror.tuning.Binding;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;

/**
 * The windows of one cluster, written by Python (kmirror/pipeline/window_plan.py).
 *
 * @param name of the flow and the side, for people
 * @param consumer Java client properties
 * @param bytesPerSecond how fast one task reads at most; 0 for as fast as it can
 * @param timeoutMs how long a partition may give nothing
 * @param tasks the windows that one task reads, one after the other
 */
public record WindowPlan(
    String name, HashMap<String, String> consumer, long bytesPerSecond, long timeoutMs, List<List<Window>> tasks) {
  private static final ObjectReader READER = Binding.reader(WindowPlan.class);

  public static WindowPlan read(Path file) {
    return Binding.read(READER, file);
  }

  /** Client properties hold secrets: never print them. */
  @Override
  public String toString() {
    return name;
  }
}
