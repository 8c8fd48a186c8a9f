"""How lanes look around, remember and report."""

from __future__ import annotations

from kmirror.pipeline.tuning.number import LIMIT, Group, Number
from kmirror.wire.offset_runs import CHUNK_RECORDS_MAX

_BENCH = "python -m bench"

OFFSETS = Group(
    name="offsets",
    question="How much is remembered of where records went?",
    numbers=(
        Number(
            name="chunk_records_max",
            value=CHUNK_RECORDS_MAX,
            unit="records",
            why="A chunk of the exact offset map is written down with so many. Whoever looks for "
            "an offset that is in no chunk yet reads hardly more records than these.",
            measurement="tests/unit/connector/test_offset_chunk.py",
        ),
        Number(
            name="chunk_bytes_max",
            value=768,
            unit="bytes",
            why="The same, for transactions full of gaps: a chunk stays below 1 KiB.",
            measurement="tests/unit/connector/test_offset_chunk.py",
        ),
        Number(
            name="reported_runs_max",
            value=1000,
            unit="runs",
            why="A report that did not arrive keeps so many runs of a partition. More are in the "
            "offset map's topic soon, where the driver reads them.",
            measurement=LIMIT,
        ),
    ),
)

LANE = Group(
    name="lane",
    question="How often does a lane look around, and when does it give up?",
    numbers=(
        Number(
            name="clock_look_records",
            value=32,
            unit="records",
            why="Between two looks at the clock; one for each record would cost as much as it.",
            measurement=_BENCH,
        ),
        Number(
            name="idle_poll_ms",
            value=50,
            unit="ms",
            why="An idle lane looks this often for a newer plan.",
            measurement=_BENCH,
        ),
        Number(
            name="round_us",
            value=1000,
            unit="µs",
            why="No round is shorter: brokers that are asked for every single record have all of "
            "them delayed. And none waits longer for a target that is far away.",
            measurement=f"{_BENCH}, low rate: without it 0.1 ms faster at p50, and 10 ms at p99 "
            "instead of 7 to 8",
        ),
        Number(
            name="first_upkeep_ms",
            value=10_000,
            unit="ms",
            why="The first time comes early: what was copied since the start can be translated "
            "exactly without the source then, and a right that the map lacks is told.",
            measurement=LIMIT,
        ),
        Number(
            name="upkeep_ms",
            value=5 * 60 * 1000,
            unit="ms",
            why="So often a lane writes down what the exact offset map does not know yet, of idle "
            "partitions, too, and looks whether a position has to be written again. Whoever needs "
            "the map after a crash reads the records since then.",
            measurement=LIMIT,
        ),
        Number(
            name="due_chunks_ms",
            value=1000,
            unit="ms",
            why="So often a lane looks for whole chunks of the exact offset map. Those of a "
            "partition that moves go with its next transaction; one that came to its end with "
            "the chunk would owe it until the upkeep.",
            measurement=LIMIT,
        ),
        Number(
            name="position_refresh_ms",
            value=60 * 60 * 1000,
            unit="ms",
            why="Positions that nobody commits expire after offsets.retention.minutes (a week): "
            "an idle partition's is written again long before.",
            measurement=LIMIT,
        ),
        Number(
            name="recoveries_max",
            value=5,
            unit="recoveries",
            why="After more in a row the flow starts again from scratch.",
            measurement=LIMIT,
        ),
        Number(
            name="failures_max",
            value=1000,
            unit="failures",
            why="More are not needed to decide. A lost transaction may fail 100,000 records.",
            measurement=LIMIT,
        ),
        Number(
            name="figures_ms",
            value=1000,
            unit="ms",
            why="So often a report has what the lane did with its time, and its histograms.",
            measurement="160 numbers a second for each slot",
        ),
        Number(
            name="client_figures_ms",
            value=5000,
            unit="ms",
            why="So often it has what Kafka's clients measure: each has hundreds of figures, of "
            "which some are picked.",
            measurement="less than 1 ms for a slot",
        ),
    ),
)

REPORTING = Group(
    name="reporting",
    question="How do lanes report to the driver? (These are Spark settings, `spark.kmirror.…`.)",
    numbers=(
        Number(
            name="interval_ms",
            value=100,
            unit="ms",
            why="Between two reports, which bring the driver's orders back.",
            measurement=_BENCH,
        ),
        Number(
            name="executor_figures_ms",
            value=5000,
            unit="ms",
            why="So often an executor says how much memory its JVM uses, and how many threads.",
            measurement="less than 1 ms for an executor",
        ),
        Number(
            name="queued_faults_max",
            value=1000,
            unit="faults",
            why="So many wait on an executor for a driver that does not answer. More tell it "
            "nothing new.",
            measurement=LIMIT,
        ),
        Number(
            name="queued_reports_max",
            value=10_000,
            unit="reports",
            why="So many wait in the driver's JVM for Python, which takes them several times a "
            "second. Lanes keep what finds no room.",
            measurement=LIMIT,
        ),
    ),
)
