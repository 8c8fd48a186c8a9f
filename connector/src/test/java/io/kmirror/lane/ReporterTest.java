package io.kmirror.lane;

import static io.kmirror.tuning.PlanTuning.TUNING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.kmirror.driver.Json;
import io.kmirror.driver.Parking;
import io.kmirror.driver.Plan;
import io.kmirror.driver.Progress;
import io.kmirror.driver.Reporter;
import io.kmirror.driver.Poison;
import io.kmirror.driver.Settings;
import io.kmirror.driver.Share;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What lanes tell the driver, over a line that loses reports before they arrive, or their answers only. */
final class ReporterTest {
  private static final int PARTITIONS = 5;
  private static final int STEPS = 200;

  private static final Settings SETTINGS =
      Plan.read(Path.of(System.getProperty("kmirror.plan"))).settings();

  private final List<String> arrived = new ArrayList<>();
  private final Progress progress = new Progress("A->B", 0, 1, TUNING.offsets());
  private final List<SourcePartition> partitions = new ArrayList<>();

  /** However many are lost: in the end positions, parked partitions and runs are known. */
  @ParameterizedTest
  @CsvSource({"1, 0", "2, 30", "3, 95"})
  void lostReportsAreReportedAgain(long seed, int lostPercent) {
    Random random = new Random(seed);
    begin();
    Reporter lossy = reporter(texts -> deliver(texts, random, lostPercent));
    for (int step = 0; step < STEPS; step++) {
      move(partitions.get(random.nextInt(PARTITIONS)), random);
      lossy.report(List.of(progress));
    }
    reporter(texts -> deliver(texts, random, 0)).report(List.of(progress));
    check();
  }

  /** A driver whose newest plan, of version 4, gives the lane nothing. */
  private record Line(Function<ArrayList<String>, Map<String, Object[]>> accepts) implements Reporter.Driver {
    @Override
    public Map<String, Object[]> accept(ArrayList<String> texts) {
      return accepts.apply(texts);
    }

    @Override
    public Object[] work(String flow, long generation, int slot) {
      if (slot > 0) {
        throw new IllegalStateException("lost");
      }
      return new Object[] {4L, "{\"transactional_ids\": [\"a\"], \"shares\": []}"};
    }
  }

  private static Reporter reporter(Function<ArrayList<String>, Map<String, Object[]>> accepts) {
    return new Reporter(new Line(accepts), () -> "here", 1);
  }

  /** Whoever begins by what a plan says must know whether there is a newer one. */
  @Test
  void aDriverThatDoesNotAnswerIsAnError() throws Exception {
    Reporter reporter = reporter(texts -> Map.of());
    Plan.Part part = reporter.work(SETTINGS, 0).get();
    assertEquals(4, part.version());
    assertEquals(List.of(), part.work().shares());
    assertThrows(IllegalStateException.class, () -> reporter.work(SETTINGS, 1));
  }

  /** Within a batch nobody else reports it: how far it came is known, also if a report is lost. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void whatLeavesIsReportedOnceMore(boolean isLost) {
    begin();
    Reporter line = reporter(texts -> deliver(texts, new Random(1), 0));
    line.report(List.of(progress));
    SourcePartition leaving = partitions.get(2);
    move(leaving, new Random(7));
    if (isLost) {
      reporter(texts -> deliver(texts, new Random(1), 100)).report(List.of(progress));
    }
    List<SourcePartition> left = partitions.stream().filter(p -> p != leaving).toList();
    progress.replace(left.stream().map(PartitionReport::of).toList(), 2);
    line.report(List.of(progress));
    check();
  }

  private Map<String, Object[]> deliver(List<String> texts, Random random, int lostPercent) {
    if (random.nextInt(100) < lostPercent) {
      throw new IllegalStateException("lost on the way there");
    }
    arrived.addAll(texts);
    if (random.nextInt(100) < lostPercent) {
      throw new IllegalStateException("lost on the way back");
    }
    return Map.of();
  }

  private void begin() {
    for (int number = 0; number < PARTITIONS; number++) {
      Share share = new Share("t", number, "A.t", "A.t", "", "", null, Poison.PARK);
      SourcePartition partition = new SourcePartition(share, TUNING.offsets(), new Failures(1));
      partition.startAt(new OffsetAndMetadata(0));
      partitions.add(partition);
    }
    progress.begin(partitions.stream().map(PartitionReport::of).toList(), 1);
  }

  private void move(SourcePartition partition, Random random) {
    if (partition.isParked()) {
      return;
    }
    if (random.nextInt(STEPS) == 0) {
      partition.park(Parking.dataGap(partition.next()));
      progress.changed(PartitionReport.of(partition));
    } else {
      partition.stepTo(partition.next() + 1, Optional.empty());
      Mark mark = partition.mark();
      long from = partition.committed(mark);
      progress.committed(PartitionReport.of(partition), from, mark.next(), mark.runs(), mark.leftOut());
    }
  }

  private void check() {
    Map<Integer, JsonNode> known = new HashMap<>();
    long[] copiedUpTo = new long[PARTITIONS];
    for (String text : arrived) {
      for (JsonNode entry : Json.parsed(text).required("partitions")) {
        int number = entry.required("partition").asInt();
        known.put(number, entry);
        if (entry.has("runs")) {
          long start = entry.get("runs").get(0).asLong();
          assertTrue(start <= copiedUpTo[number], "a gap in what is told");
          copiedUpTo[number] = Math.max(copiedUpTo[number], entry.get("runs").get(1).asLong());
        }
      }
    }
    for (int number = 0; number < PARTITIONS; number++) {
      SourcePartition partition = partitions.get(number);
      JsonNode entry = known.get(number);
      assertEquals(partition.committed().next(), entry.required("position").asLong());
      assertEquals(partition.committed().next(), copiedUpTo[number]);
      assertEquals(partition.isParked() ? "data_gap" : "", entry.path("parked").path("code").asText(""));
    }
  }
}
