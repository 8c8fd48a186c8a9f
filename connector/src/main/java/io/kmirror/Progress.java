package io.kmirror;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** What a lane tells the driver: only partitions that changed since it was last asked. */
final class Progress {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String flow;
  private final int slot;
  private final long generation;
  private final Map<TopicPartition, Entry> changed = new LinkedHashMap<>();
  private final Map<TopicPartition, CopiedRuns> copied = new HashMap<>();
  private long lastCommitMs;
  private String lastFailure = "";

  Progress(String flow, int slot, long generation) {
    this.flow = flow;
    this.slot = slot;
    this.generation = generation;
  }

  private record Entry(
      String topic,
      int partition,
      String target,
      long position,
      long nextTarget,
      long records,
      long bytes,
      long wholeRecords,
      String unpacked,
      SourcePartition.Parking parking) {}

  synchronized void replace(Collection<SourcePartition> partitions) {
    changed.clear();
    partitions.forEach(this::put);
  }

  synchronized void changed(SourcePartition partition) {
    put(partition);
  }

  private void put(SourcePartition p) {
    SourcePartition.Mark committed = p.committed();
    changed.put(
        p.source,
        new Entry(
            p.source.topic(),
            p.source.partition(),
            p.target.topic(),
            committed.next(),
            p.acknowledged() + 1,
            committed.records(),
            committed.bytes(),
            committed.wholeRecords(),
            p.unpacked.why,
            p.parking));
  }

  /** A transaction has taken a partition on from source offset *from*. */
  synchronized void committed(SourcePartition.Mark mark, long from) {
    put(mark.partition());
    copied.computeIfAbsent(mark.partition().source, p -> new CopiedRuns()).add(from, mark);
  }

  synchronized void succeeded() {
    lastCommitMs = System.currentTimeMillis();
    lastFailure = "";
  }

  synchronized void failed(String cause) {
    lastFailure = cause;
  }

  /** The report, as the JSON text that {@code kmirror/pipeline/desk.py} reads; clears the changes. */
  String take(String location) {
    Map<TopicPartition, Entry> entries;
    Map<TopicPartition, CopiedRuns> runs;
    ObjectNode report = JSON.createObjectNode();
    synchronized (this) {
      entries = new LinkedHashMap<>(changed);
      changed.clear();
      runs = new HashMap<>(copied);
      copied.clear();
      report.put("last_commit_ms", lastCommitMs).put("last_failure", lastFailure);
    }
    report.put("flow", flow).put("slot", slot).put("generation", generation).put("location", location);
    ArrayNode partitions = report.putArray("partitions");
    entries.forEach((source, entry) -> add(partitions.addObject(), entry, runs.get(source)));
    try {
      return JSON.writeValueAsString(report);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void add(ObjectNode node, Entry e, CopiedRuns runs) {
    node.put("topic", e.topic).put("partition", e.partition).put("target", e.target);
    node.put("position", e.position).put("next_target", e.nextTarget);
    node.put("records", e.records).put("bytes", e.bytes);
    node.put("whole_records", e.wholeRecords).put("unpacked", e.unpacked);
    if (runs != null) {
      runs.writeTo(node.putArray("runs"));
    }
    if (e.parking != null) {
      node.put("parked", e.parking.kind()).put("reason", e.parking.message());
    }
  }
}
