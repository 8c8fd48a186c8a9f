"""What lanes ask of the source."""

from __future__ import annotations

from kmirror.pipeline.tuning.number import Group, Number

_KIB = 1024
_MIB = 1024 * _KIB
_ANSWERS = "connector/src/test: AnswerSizeTest"
_CONNECTIONS = "connector/src/test: FetchConnectionsTest"
_BENCH = "python -m bench"

FETCH = Group(
    name="fetch",
    question="How much is asked of the source at a time, and over how many connections?",
    numbers=(
        Number(
            name="first_answer_bytes",
            value=256 * _KIB,
            unit="bytes",
            why="The first answer's size, before anything is known. 100 kbit/s take 20 s for it.",
            measurement=_ANSWERS,
        ),
        Number(
            name="least_answer_bytes",
            value=16 * _KIB,
            unit="bytes",
            why="No answer is asked to be smaller: requests would cost more than records.",
            measurement=_ANSWERS,
        ),
        Number(
            name="answer_timeout_parts",
            value=4,
            unit="parts of request.timeout.ms",
            why="An answer may take one part. Between two a round trip is lost, and more with lost "
            "packets; an answer that takes longer than the time-out is asked for again for ever.",
            measurement=_ANSWERS,
        ),
        Number(
            name="measured_answer_bytes",
            value=64 * _KIB,
            unit="bytes",
            why="An answer as large as this tells what the link carries. A smaller one tells how "
            "long the source waited for records.",
            measurement=_ANSWERS,
        ),
        Number(
            name="failed_answer_parts",
            value=4,
            unit="parts",
            why="After an answer that did not come, one part of it is asked for.",
            measurement=_ANSWERS,
        ),
        Number(
            name="far_bytes_per_ms",
            value=32 * _KIB,
            unit="bytes/ms",
            why="256 Mbit/s. A link holds up what the lane waits for and comes more slowly: the "
            "broker is asked over several connections.",
            measurement=_CONNECTIONS,
        ),
        Number(
            name="near_bytes_per_ms",
            value=128 * _KIB,
            unit="bytes/ms",
            why="1 Gbit/s. What comes so much faster over several connections needs only one.",
            measurement=_CONNECTIONS,
        ),
        Number(
            name="decision_ms",
            value=200,
            unit="ms",
            why="Less waiting than this tells nothing about a slow link.",
            measurement=_CONNECTIONS,
        ),
        Number(
            name="decision_bytes",
            value=16 * _MIB,
            unit="bytes",
            why="Fewer bytes than these tell nothing about a fast link.",
            measurement=_CONNECTIONS,
        ),
        Number(
            name="trickle_bytes",
            value=16 * _KIB,
            unit="bytes",
            why="After a smaller answer the lane goes round by round, and asks for nothing ahead.",
            measurement=f"{_BENCH}, low rate: without rounds 1,200 requests a second at 5,000 "
            "records/s, and 10 ms at p99 instead of 7 to 8",
        ),
        Number(
            name="memory_answers",
            value=2,
            unit="times fetch.max.bytes",
            why="So much memory is kept for answers to come: one is read while the next arrives.",
            measurement="connector/src/test: AnswerMemoryTest; without it a fifth of the "
            "processor time went to the collector",
        ),
        Number(
            name="heap_parts",
            value=4,
            unit="parts of the heap",
            why="The answers of all lanes of a JVM take no more than one part, however many "
            "brokers give them and whatever fetch.max.bytes is: what producers hold, and Spark, "
            "need the others. As the heap is by default, a slot has room for two answers.",
            measurement="tests/faults/test_short_memory.py",
        ),
        Number(
            name="pooled_answer_bytes",
            value=256 * _KIB,
            unit="bytes",
            why="Smaller answers are left to the collector.",
            measurement="connector/src/test: AnswerMemoryTest",
        ),
    ),
)
