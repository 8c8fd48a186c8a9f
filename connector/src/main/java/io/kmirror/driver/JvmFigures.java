package io.kmirror.driver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.concurrent.TimeUnit;

/** What this JVM uses, as {@code kmirror/pipeline/figures.py} reads it. */
public final class JvmFigures {
  private JvmFigures() {}

  public static String json() {
    return figures().toString();
  }

  static ObjectNode figures() {
    ObjectNode all = Json.object();
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    all.put("heap_bytes", memory.getHeapMemoryUsage().getUsed());
    all.put("heap_max_bytes", memory.getHeapMemoryUsage().getMax());
    all.put("nonheap_bytes", memory.getNonHeapMemoryUsage().getUsed());
    all.put("threads", ManagementFactory.getThreadMXBean().getThreadCount());
    ObjectNode collectors = all.putObject("collectors");
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      double seconds = each.getCollectionTime() / (double) TimeUnit.SECONDS.toMillis(1);
      collectors.putArray(each.getName()).add(each.getCollectionCount()).add(seconds);
    }
    return all;
  }
}
