"""The clients of a load, where no broker answers."""

from __future__ import annotations

import threading
from itertools import repeat

import pytest

from kmirror.clock import SystemClock
from kmirror.load.consumer import ConsumeSpec
from kmirror.load.content import Content
from kmirror.load.instants import Instants
from kmirror.load.producer import LoadProducer, ProduceSpec
from kmirror.load.result import Produced, WrittenPartition, WrittenRun
from kmirror.wire.load_stamps import LoadStamp

NOBODY = "127.0.0.1:1"


def _produced(spec: ProduceSpec, **settings: object) -> Produced:
    clock = SystemClock()
    config = {"bootstrap.servers": NOBODY, "log_level": 0, **settings}
    with LoadProducer(
        config, spec, cluster="nobody", clock=clock, instants=Instants(clock)
    ) as producer:
        return producer.run(repeat(Content(None, b"x")), threading.Event())


def test_what_nobody_answered_was_not_acknowledged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader may not miss it."""
    monkeypatch.setattr("kmirror.load.producer._FINISH_S_MAX", 0.2)
    produced = _produced(ProduceSpec(run="r", topic="t", partitions=2, records=5))
    assert produced.written.acknowledged == 0
    assert sorted(part.failed for part in produced.written.partitions) == [(0, 1), (0, 1, 2)]
    assert sum(produced.failures.values()) == 5


def test_a_full_queue_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is over although there never was room for another record."""
    monkeypatch.setattr("kmirror.load.producer._FINISH_S_MAX", 0.2)
    spec = ProduceSpec(run="r", topic="t", partitions=1, seconds=0.3)
    produced = _produced(spec, **{"queue.buffering.max.messages": 3})
    (part,) = produced.written.partitions
    assert (part.sent, part.failed) == (3, (0, 1, 2))


def test_the_first_records_of_a_run_are_missed() -> None:
    """Reading begins at the end of what is there, and the whole run comes behind it."""
    written = WrittenRun(run="r", topic="t", partitions=(WrittenPartition(partition=0, sent=5),))
    audits = ConsumeSpec(topic="t", from_beginning=False, run="r", whole_run=True).audits()
    for number in (2, 3, 4, 1):
        audits.add(LoadStamp("r", 0, number, 0))
    verdict = audits.verdict(written)
    assert (verdict.counts.lost, verdict.counts.reordered, verdict.counts.duplicated) == (1, 1, 0)
    late = ConsumeSpec(topic="t", from_beginning=False).audits()
    late.add(LoadStamp("r", 0, 2, 0))
    assert late.found()[0].is_exact
