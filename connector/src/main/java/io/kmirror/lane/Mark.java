package io.kmirror.lane;

import io.kmirror.offsets.OffsetRuns;

/** How far a partition is at the end of a transaction, and what of it went where. */
record Mark(
    SourcePartition partition,
    long next,
    Integer leaderEpoch,
    long nextTarget,
    Integer targetEpoch,
    long records,
    long bytes,
    long wholeRecords,
    OffsetRuns runs) {}
