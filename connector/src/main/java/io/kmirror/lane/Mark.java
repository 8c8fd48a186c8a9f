package io.kmirror.lane;

import io.kmirror.driver.LeftOut;
import io.kmirror.offsets.OffsetRuns;
import java.util.List;

/** How far a partition is at the end of a transaction, its newest record, and what of it went where, and what nowhere. */
record Mark(
    SourcePartition partition,
    long next,
    Integer leaderEpoch,
    long nextTarget,
    Integer targetEpoch,
    long records,
    long bytes,
    long wholeRecords,
    Newest newest,
    OffsetRuns runs,
    List<LeftOut> leftOut) {}
