package io.kmirror.lane;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kmirror.driver.Histogram;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/** What a lane counts of itself since it was opened, as {@code kmirror/pipeline/figures.py} reads it. */
final class LaneFigures {
  private static final String FETCHES = "consumer-fetch-manager-metrics";

  /** What is told of a client: by the group that the figure is in. */
  private static final Map<String, Set<String>> TOLD =
      Map.of(
          FETCHES,
          Set.of(
              "fetch-size-avg", "fetch-size-max", "fetch-rate", "fetch-latency-avg",
              "fetch-throttle-time-avg", "fetch-throttle-time-max"),
          "consumer-metrics",
          Set.of("incoming-byte-total", "io-ratio", "io-wait-ratio"),
          "producer-metrics",
          Set.of(
              "outgoing-byte-total", "record-error-total", "record-retry-total", "record-retry-rate",
              "buffer-available-bytes", "batch-size-avg", "batch-size-max", "requests-in-flight",
              "request-latency-avg", "produce-throttle-time-avg", "compression-rate-avg",
              "io-ratio", "io-wait-ratio"));

  final LaneClock clock = new LaneClock(System::nanoTime);

  /** How old records were when they were fetched. */
  final Histogram age = new Histogram();

  /** How long they took from there to their commit. */
  private final Histogram latency = new Histogram();

  private final Histogram commits = new Histogram();
  private final long clientsNanos;
  private Supplier<Map<MetricName, ? extends Metric>> consumer = Map::of;
  private Supplier<List<Map<MetricName, ? extends Metric>>> producers = List::of;
  private long toldClientsNanos;
  private volatile long seams;

  /**
   * @param clientsMs how often clients are looked at: they have hundreds of figures
   */
  LaneFigures(long clientsMs) {
    this.clientsNanos = TimeUnit.MILLISECONDS.toNanos(clientsMs);
    this.toldClientsNanos = System.nanoTime() - clientsNanos;
  }

  /** From now on there are clients to look at. */
  void watch(
      Supplier<Map<MetricName, ? extends Metric>> consumer,
      Supplier<List<Map<MetricName, ? extends Metric>>> producers) {
    this.consumer = consumer;
    this.producers = producers;
  }

  void beginBatch() {
    seams++;
  }

  /** A transaction whose first record was read at *sinceNanos* is committed with so many records. */
  void committed(Collection<Mark> marks, long sinceNanos) {
    long records = 0;
    for (Mark mark : marks) {
      records += mark.records() - mark.partition().committed().records();
    }
    latency.add(millis(System.nanoTime() - sinceNanos), records);
  }

  /** The target took so long for a commit. */
  void tookToCommit(long nanos) {
    commits.add(millis(nanos), 1);
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos + TimeUnit.MILLISECONDS.toNanos(1) - 1);
  }

  void writeTo(ObjectNode node) {
    ArrayNode times = node.putArray("times_ms");
    for (long millis : clock.millis()) {
      times.add(millis);
    }
    node.put("seams", seams);
    age.writeTo(node.putArray("age"));
    latency.writeTo(node.putArray("latency"));
    commits.writeTo(node.putArray("commits"));
    long now = System.nanoTime();
    if (now - toldClientsNanos >= clientsNanos) {
      toldClientsNanos = now;
      writeClients(node.putArray("clients"));
    }
  }

  private void writeClients(ArrayNode clients) {
    write(clients.addObject().put("kind", "consumer").put("number", 0), consumer.get());
    int number = 0;
    for (Map<MetricName, ? extends Metric> producer : producers.get()) {
      write(clients.addObject().put("kind", "producer").put("number", number++), producer);
    }
  }

  private static void write(ObjectNode client, Map<MetricName, ? extends Metric> metrics) {
    ObjectNode values = client.putObject("values");
    metrics.forEach(
        (name, metric) -> {
          boolean ofClient = name.tags().size() == 1; // others are of one broker or topic
          if (ofClient && TOLD.getOrDefault(name.group(), Set.of()).contains(name.name())
              && metric.metricValue() instanceof Double value && Double.isFinite(value)) {
            values.put(name.name(), value);
          }
        });
  }
}
