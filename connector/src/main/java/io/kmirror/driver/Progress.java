package io.kmirror.driver;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kmirror.offsets.CopiedRuns;
import io.kmirror.offsets.OffsetRuns;
import io.kmirror.tuning.Tuning;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;

/** What a lane tells the driver: only partitions that changed since the last report that arrived. */
public final class Progress {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final String flow;
  private final int slot;
  private final long generation;
  private final int runsMax;
  private Map<TopicPartition, Entry> changed = new LinkedHashMap<>();
  private Map<TopicPartition, CopiedRuns> copied = new HashMap<>();
  private Map<TopicPartition, List<LeftOut>> leftOut = new HashMap<>();
  private Set<TopicPartition> has = Set.of();
  private long seam;
  private long assignment;
  private long plan;
  private long lastCommitMs;
  private Exception lastFailure;
  private Consumer<ObjectNode> figures;
  private long figuresNanos;
  private long toldFiguresNanos;

  public Progress(String flow, int slot, long generation, Tuning.Offsets tuning) {
    this.flow = flow;
    this.slot = slot;
    this.generation = generation;
    this.runsMax = tuning.reportedRunsMax();
  }

  /**
   * How far a partition is.
   *
   * @param source the partition
   * @param target topic
   * @param position next source offset to copy, committed
   * @param nextTarget next target offset
   * @param records copied since the lane was opened
   * @param bytes of those
   * @param wholeRecords how many of them travelled in the batches they were fetched in
   * @param copiedMs timestamp of the newest record that was committed, or of its batch; -1 is unknown
   * @param ageMs how old that was when it was fetched; -1 is unknown
   * @param latencyMs how old it was when it was committed; -1 is unknown
   * @param unpacked the code of why others did not, lately, or ""
   * @param parking why it stands still, or null
   */
  public record Entry(
      TopicPartition source,
      String target,
      long position,
      long nextTarget,
      long records,
      long bytes,
      long wholeRecords,
      long copiedMs,
      long ageMs,
      long latencyMs,
      String unpacked,
      Parking parking) {}

  /**
   * A report on its way. Whoever sent it says when it did not arrive.
   *
   * @param text as {@code kmirror/pipeline/desk.py} reads it
   */
  record Report(
      Progress lane,
      String text,
      long seam,
      long assignment,
      Map<TopicPartition, Entry> entries,
      Map<TopicPartition, CopiedRuns> runs,
      Map<TopicPartition, List<LeftOut>> leftOut) {

    void didNotArrive() {
      lane.putBack(this);
    }
  }

  /** From now on a report has *more* every so often. */
  public synchronized void tell(Consumer<ObjectNode> more, long everyMs) {
    figures = more;
    figuresNanos = TimeUnit.MILLISECONDS.toNanos(everyMs);
    toldFiguresNanos = System.nanoTime() - figuresNanos;
  }

  /**
   * The lane has these partitions from now on, and no others, by the plan of version *plan*. Another lane may
   * have what it had before.
   */
  public synchronized void begin(Collection<Entry> partitions, long plan) {
    seam++;
    changed.clear();
    replace(partitions, plan);
  }

  /** The same within a batch: no other lane has what left it before this was reported. */
  public synchronized void replace(Collection<Entry> partitions, long plan) {
    assignment++;
    this.plan = plan;
    has = partitions.stream().map(Entry::source).collect(Collectors.toSet());
    partitions.forEach(this::put);
  }

  public synchronized void changed(Entry partition) {
    put(partition);
  }

  private void put(Entry entry) {
    changed.put(entry.source, entry);
  }

  /** A transaction has taken a partition on from source offset *from* to *next*, without *left*. */
  public synchronized void committed(
      Entry entry, long from, long next, OffsetRuns runs, List<LeftOut> left) {
    put(entry);
    if (!left.isEmpty()) {
      leftOut.computeIfAbsent(entry.source, p -> new ArrayList<>()).addAll(left);
    }
    copied.computeIfAbsent(entry.source, p -> new CopiedRuns(runsMax)).add(from, next, runs);
  }

  public synchronized void succeeded() {
    lastCommitMs = System.currentTimeMillis();
    lastFailure = null;
  }

  /** A transaction was lost; *cause* is null when the partition that it was lost for says why. */
  public synchronized void failed(Exception cause) {
    lastFailure = cause;
  }

  /** Reports the changes; there are none then, until others come. */
  synchronized Report take(String location) {
    ObjectNode report = JSON.createObjectNode();
    report.put("flow", flow).put("slot", slot).put("generation", generation).put("location", location);
    report.put("plan", plan).put("last_commit_ms", lastCommitMs);
    if (lastFailure != null) {
      Json.failure(report.putObject("last_failure"), lastFailure);
    }
    long now = System.nanoTime();
    if (figures != null && now - toldFiguresNanos >= figuresNanos) {
      toldFiguresNanos = now;
      figures.accept(report.putObject("figures"));
    }
    ArrayNode partitions = report.putArray("partitions");
    changed.forEach((source, entry) -> add(partitions.addObject(), entry, copied.get(source), leftOut.get(source)));
    Report taken = new Report(this, report.toString(), seam, assignment, changed, copied, leftOut);
    changed = new LinkedHashMap<>();
    copied = new HashMap<>();
    leftOut = new HashMap<>();
    return taken;
  }

  private synchronized void putBack(Report report) {
    if (report.seam == seam) {
      report.entries.forEach((source, entry) -> {
        if (report.assignment == assignment || !has.contains(source)) { // what stays was reported anew
          changed.putIfAbsent(source, entry);
        }
      });
    }
    report.runs.forEach((source, runs) -> copied.merge(source, runs, Progress::joined));
    report.leftOut.forEach((source, left) -> leftOut.merge(source, left, Progress::joined));
  }

  private static CopiedRuns joined(CopiedRuns later, CopiedRuns earlier) {
    earlier.add(later);
    return earlier;
  }

  private static List<LeftOut> joined(List<LeftOut> later, List<LeftOut> earlier) {
    earlier.addAll(later);
    return earlier;
  }

  private static void add(ObjectNode node, Entry e, CopiedRuns runs, List<LeftOut> left) {
    node.put("topic", e.source.topic()).put("partition", e.source.partition()).put("target", e.target);
    node.put("position", e.position).put("next_target", e.nextTarget);
    node.put("records", e.records).put("bytes", e.bytes);
    node.put("whole_records", e.wholeRecords).put("unpacked", e.unpacked);
    node.put("copied_ms", e.copiedMs).put("age_ms", e.ageMs).put("latency_ms", e.latencyMs);
    if (runs != null) {
      runs.writeTo(node.putArray("runs"));
    }
    if (left != null) {
      ArrayNode all = node.putArray("left_out");
      left.forEach(each -> each.writeTo(all.addObject()));
    }
    if (e.parking != null) {
      e.parking.writeTo(node.putObject("parked"));
    }
  }
}
