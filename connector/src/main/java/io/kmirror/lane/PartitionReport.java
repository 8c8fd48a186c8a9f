package io.kmirror.lane;

import io.kmirror.driver.Progress;

/** How a partition is reported to the driver. */
final class PartitionReport {
  private PartitionReport() {}

  static Progress.Entry of(SourcePartition p) {
    Mark committed = p.committed();
    return new Progress.Entry(
        p.source,
        p.target.topic(),
        committed.next(),
        p.acknowledged() + 1,
        committed.records(),
        committed.bytes(),
        committed.wholeRecords(),
        committed.newest().timestampMs(),
        committed.newest().ageMs(),
        p.counts.latencyMs(),
        p.counts.unpacked().code,
        p.parking());
  }
}
