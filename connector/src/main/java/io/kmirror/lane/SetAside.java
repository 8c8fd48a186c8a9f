package io.kmirror.lane;

import io.kmirror.batch.UnreadableBatchException;
import io.kmirror.driver.Parking;
import io.kmirror.driver.Settings;
import java.util.Collection;
import org.apache.kafka.common.errors.RecordTooLargeException;

/** Keeps what the target refuses, or has lost, from stopping what has nothing to do with it. */
final class SetAside {
  private final Settings settings;
  private final Collection<SourcePartition> partitions;
  private final Intake intake;
  private final TargetWriter writer;

  SetAside(Settings settings, Collection<SourcePartition> partitions, Intake intake, TargetWriter writer) {
    this.settings = settings;
    this.partitions = partitions;
    this.intake = intake;
    this.writer = writer;
  }

  /** Parks whatever is copied to the log that lost records; each of them may have some among these. */
  void parkCut(SourcePartition cut) {
    Parking lost = Parking.targetLostRecords(cut.target, cut.cutAt(), cut.written());
    partitions.stream()
        .filter(p -> !p.isParked() && p.target.equals(cut.target))
        .toList()
        .forEach(p -> intake.park(p, lost));
  }

  /** Keeps one refused record or partition from stopping its neighbours. */
  void refused(Failures.Failure failure) {
    SourcePartition partition = failure.partition();
    if (failure.cause() instanceof UnreadableBatchException unreadable) {
      partition.refused.cannotRead(failure.sourceOffset(), unreadable);
    } else if (failure.refusesLetter()) {
      writer.admin().learnLimit(settings.dlqTopic());
      partition.stopBefore(failure.sourceOffset(), failure.cause());
    } else if (failure.refusesPartition()) {
      intake.park(partition, Parking.targetRefusesPartition(failure.cause()));
    } else if (failure.refusesWhole()) {
      partition.refused.unpackUntil(failure.wholeUntil());
      if (failure.cause() instanceof RecordTooLargeException) {
        writer.admin().learnLimit(partition.target.topic());
      }
    } else if (failure.refusesRecord()) {
      partition.setAside(failure.sourceOffset(), failure.cause());
    }
  }
}
