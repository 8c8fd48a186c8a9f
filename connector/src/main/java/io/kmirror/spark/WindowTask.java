package io.kmirror.spark;

import io.kmirror.audit.Window;
import java.util.HashMap;
import java.util.List;
import org.apache.spark.sql.connector.read.InputPartition;

/**
 * The windows that one task reads.
 *
 * @param consumer Java client properties
 * @param windows one after the other
 * @param bytesPerSecond how fast at most; 0 for as fast as it can
 * @param timeoutMs how long a partition may give nothing
 */
record WindowTask(HashMap<String, String> consumer, List<Window> windows, long bytesPerSecond, long timeoutMs)
    implements InputPartition {

  /** Client properties hold secrets: never print them. */
  @Override
  public String toString() {
    return windows.toString();
  }
}
