"""Figures of a running mirror: how they are read, and what they say."""

from __future__ import annotations

from dataclasses import fields

import pytest

from kmirror.model import Flow
from kmirror.policy.bottlenecks import LaneTimes
from kmirror.state.metrics.mm2_table import CLIENTS
from kmirror.state.metrics.table import SLOTS
from kmirror.tune.advise import Advice, Question, advise
from kmirror.tune.finding import MM2_ONLY, Finding, Level
from kmirror.tune.link import Measured
from kmirror.tune.live_figures import LiveFigures, read_figures
from tests.support.tuned import lines_of

FLOW = Flow("A", "B")
KIB, MIB = 1024, 1024 * 1024

_SCRAPE = """\
# HELP kafka_producer_batch_size_avg the mean
# TYPE kafka_producer_batch_size_avg gauge
kafka_producer_batch_size_avg{clientid="connector-producer-MirrorSourceConnector-0"} 12000.0
kafka_producer_batch_size_avg{clientid="connector-producer-MirrorSourceConnector-1"} 14000.0
kafka_producer_batch_size_max{clientid="connector-producer-MirrorSourceConnector-0"} 16384.0
kafka_producer_batch_size_avg{clientid="connector-producer-idle"} NaN
kafka_consumer_fetch_manager_fetch_size_avg{clientid="\\"A->B|…|replication-consumer\\""} 1000.0
kafka_consumer_fetch_manager_fetch_size_avg{clientid="\\"C->B|…|replication-consumer\\""} 9000.0
kafka_consumer_consumer_fetch_manager_metrics_fetch_rate{client_id="A->B|x"} 250 1700000000000
kafka_consumer_fetch_manager_fetch_throttle_time_avg{clientid="A->B|x"} 0.0
kafka_producer_produce_throttle_time_avg{clientid="p"} 35
kafka_producer_buffer_available_bytes{clientid="p"} 1.0E6
kafka_producer_buffer_available_bytes{clientid="q"} 2.0E6
not a line at all {
"""


def _finding(figures: LiveFigures, more: str = "") -> list[Finding]:
    return [each for each in _advice(figures, more).findings if each.flow == "A->B"]


def _advice(figures: LiveFigures, more: str = "") -> Advice:
    lines = lines_of(more)
    question = Question(
        lines=lines,
        measured={FLOW: Measured()},
        # What concerns neither program leaves the figures' own findings.
        programs=frozenset(),
        figures={FLOW: figures},
    )
    return advise(question)


def test_a_scrape_of_mirrormaker_2() -> None:
    """Series of other flows are left out; those that name no flow count for all."""
    found = read_figures(_SCRAPE, (FLOW, Flow("C", "B")))
    assert found[FLOW] == LiveFigures(
        batch_bytes=13_000,
        batch_bytes_max=16_384,
        fetch_bytes=1000,
        fetch_rate=250,
        fetch_throttle_ms=0,
        produce_throttle_ms=35,
        memory_free_bytes=1e6,
    )
    assert found[Flow("C", "B")].fetch_bytes == 9000


def test_a_scrape_of_kmirror() -> None:
    """Its lanes say what they did with their time."""
    text = "".join(
        f'kmirror_lane_seconds_total{{flow="A->B",slot="{slot}",activity="{activity}"}} {seconds}\n'
        for slot in (0, 1)
        for activity, seconds in (("source", 1), ("target", 30.5), ("idle", 2))
    )
    found = read_figures(text, (FLOW,))[FLOW]
    assert found == LiveFigures(of_kmirror=True, source_s=2, target_s=61, idle_s=4)


def test_what_a_driver_serves_is_known() -> None:
    """Every figure that is judged has a metric of kmirror's, by the name it is looked for."""
    clients = "".join(
        f'{each.name}{{clientid="\\"A->B|MirrorSourceConnector-0|x\\""}} 5\n' for each in CLIENTS
    )
    lane = next(each.name for each in SLOTS if "activity" in each.labels)
    lanes = "".join(
        f'{lane}{{flow="A->B",slot="0",activity="{each.name}"}} 1\n' for each in fields(LaneTimes)
    )
    found = read_figures(clients + lanes, (FLOW,))[FLOW]
    assert found.of_kmirror
    assert [each.name for each in fields(found) if getattr(found, each.name) is None] == []


def test_a_scrape_of_something_else() -> None:
    """Nothing is known then."""
    assert not read_figures("up 1\nprocess_cpu_seconds_total 3\n", (FLOW,))[FLOW].known


@pytest.mark.parametrize(
    ("figures", "says", "instead"),
    [
        (
            LiveFigures(batch_bytes=14_000, batch_bytes_max=16_384),
            "batches are full: 13.67 KiB on average",
            {"B.producer.batch.size": "32768"},
        ),
        (
            LiveFigures(batch_bytes=900, batch_bytes_max=2000),
            "batches are never full: 900 B on average of 16 KiB",
            {"B.producer.linger.ms": "20"},
        ),
        (
            LiveFigures(fetch_bytes=200 * KIB, fetch_bytes_max=50 * MIB),
            "answers of the source are near their limit",
            {"A.consumer.fetch.max.bytes": str(64 * MIB)},
        ),
        (
            LiveFigures(fetch_bytes=1_000_000, fetch_bytes_max=1_048_576),
            "answers of the source are near their limit",
            {"A.consumer.max.partition.fetch.bytes": str(2 * MIB)},
        ),
        (
            LiveFigures(fetch_rate=900, fetch_bytes=600),
            "900 answers a second of 600 B each",
            {"A.consumer.fetch.min.bytes": "16384", "A.consumer.fetch.max.wait.ms": "100"},
        ),
        (
            LiveFigures(memory_free_bytes=1 * MIB),
            "of the producer's 32 MiB only 1 MiB are free",
            {"B.producer.buffer.memory": str(64 * MIB)},
        ),
        (LiveFigures(fetch_throttle_ms=120), "A holds each answer to the consumer back", {}),
        (LiveFigures(produce_throttle_ms=7), "B holds each answer to the producer back", {}),
        (
            LiveFigures(of_kmirror=True, source_s=9, target_s=1),
            "90% of the time lanes wait for A",
            {},
        ),
        (
            LiveFigures(of_kmirror=True, source_s=2, target_s=8),
            "80% of the time lanes wait for B",
            {},
        ),
        (LiveFigures(of_kmirror=True, throttled_s=6, target_s=4), "the file's own limits", {}),
        (LiveFigures(of_kmirror=True, convert_s=3), "put records into transactions", {}),
        (LiveFigures(of_kmirror=True, idle_s=99, source_s=1), "have nothing to do", {}),
    ],
)
def test_a_figure(figures: LiveFigures, says: str, instead: dict[str, str]) -> None:
    """One of them at a time: what it says, and what to write."""
    (found,) = _finding(figures)
    assert says in found.says
    assert {each.key: each.value for each in found.instead} == instead
    assert found.level is not Level.DANGER


@pytest.mark.parametrize(
    "figures",
    [
        LiveFigures(),
        LiveFigures(batch_bytes=8000, batch_bytes_max=16_384),
        LiveFigures(batch_bytes=900, batch_bytes_max=16_384),
        LiveFigures(fetch_rate=20, fetch_bytes=600),
        LiveFigures(fetch_rate=900, fetch_bytes=60_000),
        LiveFigures(fetch_bytes=500_000, fetch_bytes_max=20 * MIB),
        LiveFigures(fetch_throttle_ms=0, produce_throttle_ms=0),
        LiveFigures(memory_free_bytes=30 * MIB),
        LiveFigures(of_kmirror=True, source_s=3, target_s=3, convert_s=3),
        # kmirror's own defaults are larger, and its lanes do not linger.
        LiveFigures(of_kmirror=True, batch_bytes=14_000, batch_bytes_max=16_384),
        LiveFigures(of_kmirror=True, fetch_bytes=1_000_000, fetch_bytes_max=1_048_576),
    ],
)
def test_a_figure_that_says_nothing(figures: LiveFigures) -> None:
    """What is between the extremes is as it should be."""
    assert _finding(figures) == []


def test_limits_of_the_file_count() -> None:
    """And not only the defaults."""
    more = "B.producer.batch.size = 1048576\nB.producer.linger.ms = 50\n"
    assert _finding(LiveFigures(batch_bytes=14_000, batch_bytes_max=16_384), more) == []
    (found,) = _finding(
        LiveFigures(of_kmirror=True, batch_bytes=60_000), "B.producer.batch.size = 65536\n"
    )
    assert [each.key for each in found.instead] == ["B.producer.batch.size"]


def test_what_is_advised_is_one_step() -> None:
    """The figures were measured with today's file: they say nothing of the next one."""
    lines = lines_of()
    question = Question(
        lines=lines,
        measured={FLOW: Measured()},
        programs=MM2_ONLY,
        figures={FLOW: LiveFigures(memory_free_bytes=1.0)},
    )
    settled = {each.key: each.value for each in advise(question).settings}
    assert settled["B.producer.buffer.memory"] == str(64 * MIB)
