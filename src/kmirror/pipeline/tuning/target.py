"""What lanes send to the target, and ask of it."""

from __future__ import annotations

from kmirror.pipeline.tuning.number import LIMIT, Group, Number

_KIB = 1024
_PACE = "connector/src/test: PaceTest, on links of 8 kB/s to 12.5 MB/s and 0 to 300 ms"
_TRANSACTIONS = "connector/src/test: PaceTest"
_PRICE = "connector/src/test: CommitPriceTest; python -m bench --only commits"
_BENCH = "python -m bench"

BATCHES = Group(
    name="batches",
    question="Which batches are put together?",
    numbers=(
        Number(
            name="unanswered_max",
            value=5,
            unit="batches",
            why="A producer has as many requests on their way (max.in.flight.requests.per."
            "connection). One more batch of the partition has to wait in any case.",
            measurement="Kafka's limit for idempotent producers",
        ),
        Number(
            name="late_ms",
            value=500,
            unit="ms",
            why="A target that answers this late has more to do than it can: then compressed "
            "batches are put together, too.",
            measurement=_BENCH,
        ),
        Number(
            name="merged_bytes_max",
            value=256 * _KIB,
            unit="bytes",
            why="As large as the batches of a producer that is set up for throughput.",
            measurement=_BENCH,
        ),
        Number(
            name="small_bytes",
            value=4 * _KIB,
            unit="bytes",
            why="Below this the target pays for the batch rather than for what is in it.",
            measurement=_BENCH,
        ),
        Number(
            name="part_bytes_max",
            value=128 * _KIB,
            unit="bytes",
            why="Larger batches gain too little by being put together.",
            measurement=_BENCH,
        ),
    ),
)

PACE = Group(
    name="pace",
    question="How much may be on its way to the target?",
    numbers=(
        Number(
            name="least_bytes",
            value=32 * _KIB,
            unit="bytes",
            why="On its way at least: twice as much as TCP begins with.",
            measurement=_PACE,
        ),
        Number(
            name="piece_bytes",
            value=8 * _KIB,
            unit="bytes",
            why="What answers are counted in. To look at the clock for each record would cost as "
            "much as the record.",
            measurement=_PACE,
        ),
        Number(
            name="moment_ms",
            value=1000,
            unit="ms",
            why="What the target has taken in this time tells what the link takes.",
            measurement=_PACE,
        ),
        Number(
            name="moments_max",
            value=2,
            unit="moments",
            why="On its way at most. A commit leaves the link empty for a round trip, so it must "
            "be rare on a far link; and the larger this is, the sooner a link is full.",
            measurement=f"{_PACE}: more than 0.93 of each link is used, a commit waits for 5 s "
            "at most",
        ),
        Number(
            name="spans",
            value=8,
            unit="parts of a moment",
            why="Of a moment one part is forgotten at a time.",
            measurement=_PACE,
        ),
        Number(
            name="rate_pieces",
            value=8,
            unit="pieces",
            why="So many of the last pieces or so count in the rate.",
            measurement=_PACE,
        ),
        Number(
            name="lone_piece_bytes",
            value=64 * _KIB,
            unit="bytes",
            why="A piece alone on its way with so many bytes tells more of the link's rate than of "
            "its length.",
            measurement=_PACE,
        ),
        Number(
            name="far_ms",
            value=15,
            unit="ms",
            why="Farther than any target in the same place, also one with much to do.",
            measurement=_PACE,
        ),
        Number(
            name="far_transactions",
            value=5,
            unit="transactions",
            why="A target that is only busy answers something fast in one of so many.",
            measurement=_PACE,
        ),
        Number(
            name="batch_timeout_parts",
            value=4,
            unit="parts of request.timeout.ms",
            why="A batch may take one part: then it arrives before it is sent again.",
            measurement=_PACE,
        ),
    ),
)

TRANSACTION = Group(
    name="transaction",
    question="When is a transaction committed?",
    numbers=(
        Number(
            name="stretch_max",
            value=64,
            unit="times",
            why="A backlog's transaction on a far link has at most so many times its usual age and "
            "size: each commit costs a round trip, and TCP begins slowly after it.",
            measurement=_TRANSACTIONS,
        ),
        Number(
            name="stretched_ms_max",
            value=5000,
            unit="ms",
            why="And at most this age: whoever reads committed records is behind by it.",
            measurement=_TRANSACTIONS,
        ),
        Number(
            name="timeout_parts",
            value=4,
            unit="parts of transaction.timeout.ms",
            why="And at most one part of the time after which the target gives it up.",
            measurement=_TRANSACTIONS,
        ),
        Number(
            name="early_parts",
            value=4,
            unit="parts of kmirror.commit.interval.ms",
            why="In a pause it is due one part earlier: a record that comes each interval need "
            "not wait for the next one.",
            measurement=f"{_TRANSACTIONS}: 1000 records, one in each interval, have 1000 commits; "
            "ten in each have 100 to 135",
        ),
        Number(
            name="burst",
            value=2,
            unit="transactions",
            why="So many may end in a row when none did for as long: a record need not wait for "
            "the transaction that a heartbeat began.",
            measurement=_TRANSACTIONS,
        ),
        Number(
            name="price_times",
            value=3,
            unit="times a commit's price",
            why="While little comes and the target is near, the ends of two transactions lie so "
            "far apart: commits take a third of the time in which records come. With 2, the "
            "brokers of 5,000 records/s need two fifths more than without such commits.",
            measurement=_PRICE,
        ),
        Number(
            name="idle_times",
            value=2,
            unit="times",
            why="Time in which nothing came counts so often: a record after a pause does not "
            "wait, and a stream does not cost its brokers more.",
            measurement=_PRICE,
        ),
        Number(
            name="priced_commits",
            value=16,
            unit="commits",
            why="The price is what the last ones took on average, so a single slow one changes "
            "little.",
            measurement=_PRICE,
        ),
        Number(
            name="marker_us",
            value=100,
            unit="µs",
            why="And what the brokers do for each partition of a transaction: they write a marker.",
            measurement=_PRICE,
        ),
    ),
)

TARGET = Group(
    name="target",
    question="How often is the target asked, and for how long?",
    numbers=(
        Number(
            name="ends_interval_ms",
            value=5000,
            unit="ms",
            why="So often it is asked where its partitions end, to notice what it has lost.",
            measurement=LIMIT,
        ),
        Number(
            name="limit_age_ms_max",
            value=30_000,
            unit="ms",
            why="So long a topic's max.message.bytes is believed: an operator may change it.",
            measurement=LIMIT,
        ),
        Number(
            name="admin_timeout_ms",
            value=60_000,
            unit="ms",
            why="So long an answer of the admin client is awaited.",
            measurement=LIMIT,
        ),
    ),
)
