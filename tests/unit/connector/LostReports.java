package io.kmirror.lane;

import io.kmirror.driver.Parking;
import io.kmirror.driver.Progress;
import io.kmirror.driver.Reporter;
import io.kmirror.driver.Share;
import io.kmirror.tuning.Tuning;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * Partitions move on and some are parked, while the line to the driver loses reports: before they arrive, or
 * their answers only. Prints what arrived, one report a line; then a line of what should be known in the end:
 * for each partition its position and the word it is parked with.
 */
public final class LostReports {
  private static final Tuning.Offsets TUNING = Tuning.parsed(System.getProperty("kmirror.tuning")).offsets();
  private static final int PARTITIONS = 5;
  private static final int STEPS = 200;

  private LostReports() {}

  /**
   * @param args seed of what is lost, and the percentage
   */
  public static void main(String[] args) {
    Random random = new Random(Long.parseLong(args[0]));
    int lost = Integer.parseInt(args[1]);
    List<String> arrived = new ArrayList<>();
    Reporter reporter =
        new Reporter(
            texts -> {
              if (random.nextInt(100) < lost) {
                throw new IllegalStateException("lost on the way there");
              }
              arrived.addAll(texts);
              if (random.nextInt(100) < lost) {
                throw new IllegalStateException("lost on the way back");
              }
              return new HashMap<>();
            },
            () -> "here",
            1000);
    Progress progress = new Progress("A->B", 0, 1, TUNING);
    List<SourcePartition> partitions = new ArrayList<>();
    for (int i = 0; i < PARTITIONS; i++) {
      Share share = new Share("t", i, "A.t", "A.t", "", "", null);
      SourcePartition partition = new SourcePartition(share, TUNING, new Failures(1));
      partition.startAt(new OffsetAndMetadata(0));
      partitions.add(partition);
    }
    progress.replace(partitions.stream().map(PartitionReport::of).toList());
    for (int step = 0; step < STEPS; step++) {
      SourcePartition partition = partitions.get(random.nextInt(PARTITIONS));
      if (!partition.isParked() && random.nextInt(STEPS) == 0) {
        partition.park(new Parking("data_gap", "gone"));
        progress.changed(PartitionReport.of(partition));
      } else if (!partition.isParked()) {
        partition.stepTo(partition.next() + 1, Optional.empty());
        Mark mark = partition.mark();
        long from = partition.committed(mark);
        progress.committed(PartitionReport.of(partition), from, mark.next(), mark.runs());
      }
      reporter.report(List.of(progress));
    }
    Reporter last = new Reporter(texts -> {
      arrived.addAll(texts);
      return Map.of();
    }, () -> "here", 1000);
    last.report(List.of(progress));
    arrived.forEach(System.out::println);
    StringBuilder known = new StringBuilder();
    for (SourcePartition partition : partitions) {
      known.append(partition.committed().next()).append(' ');
      known.append(partition.parking() == null ? "-" : partition.parking().kind()).append(' ');
    }
    System.out.println(known.toString().strip());
  }
}
