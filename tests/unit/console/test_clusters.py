"""Clusters as they look from here, when they do not answer, and what is shown of those that do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.config.load import MirrorConfig
from kmirror.console import cluster_watch
from kmirror.console.cluster_watch import ClusterWatch, KnownCluster
from kmirror.console.clusters import Clusters
from kmirror.errors import ClusterUnavailable, EnvironmentProblem, NotFound
from kmirror.inspect.cluster_clock import ClusterClock
from kmirror.inspect.cluster_rights import ClusterRights
from kmirror.inspect.cluster_survey import ClusterSurvey, InternalTopic
from kmirror.plans.check_rules import CheckFinding, Level
from kmirror.plans.snapshot import Broker, ClusterState, TopicState
from tests.support.console_server import file_of


def no_java(*_: object) -> NoReturn:
    """Give no client of Kafka's own."""
    raise EnvironmentProblem("there is no Java here")


@contextmanager
def watching(config: list[MirrorConfig]) -> Iterator[Clusters]:
    """Watch the clusters of the last of some files."""
    clusters = Clusters(lambda: config[-1], no_java, SystemClock())
    clusters.start()
    try:
        yield clusters
    finally:
        clusters.close()


def test_a_silent_cluster_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is being asked, then silent since the first time; a reload changes who is watched."""
    monkeypatch.setattr(cluster_watch, "PULSE_S", 0.05)

    class Away:
        def __init__(self, *_: object, **__: object) -> None: ...

        def describe(self) -> NoReturn:
            raise ClusterUnavailable("away")

        def close(self) -> None: ...

    monkeypatch.setattr(cluster_watch, "KafkaAdmin", Away)
    files = [file_of(tmp_path)]
    with watching(files) as clusters:
        assert [each.alias for each in clusters.clusters().clusters] == ["A", "B"]
        wait_until(lambda: clusters.cluster("A").answers is False, "silent", timeout_s=30)
        first = clusters.cluster("A")
        wait_until(
            lambda: clusters.cluster("A").asked_ms != first.asked_ms, "asked again", timeout_s=30
        )
        again = clusters.cluster("A")
        assert (again.error, again.silent_since_ms) == ("away", first.silent_since_ms)
        assert (again.answered_ms, again.latency_ms, again.brokers) == (None, None, ())
        assert [(each.flow, each.end) for each in again.flows] == [
            ("A->B", "source"),
            ("B->A", "target"),
        ]
        with pytest.raises(NotFound, match="there is no cluster X; there are: A, B"):
            clusters.cluster("X")
        text = files[0].path.read_text(encoding="utf-8").replace("A.boot", "C.boot")
        text = text.replace("A->B", "C->B").replace("B->A", "B->C").replace("= A, B", "= C, B")
        files.append(file_of(tmp_path, text))
        wait_until(lambda: clusters.cluster("C").answers is False, "followed", timeout_s=30)


def test_what_is_shown_of_one_that_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what is wrong with its topics, and what it does not tell."""
    now_ms = time.time_ns() // 1_000_000
    brokers = tuple(Broker(id=at, host="b", port=9092 + at, rack=f"r{at}") for at in range(3))
    state = ClusterState(cluster_id="id", brokers=brokers, controller=1)
    survey = ClusterSurvey(
        unreachable={2: "refused"},
        protocol="3.9-IV0",
        features=None,
        topics=("orders", "heartbeats", "kmirror-events"),
        internal=(
            _topic("heartbeats", 3, {"cleanup.policy": "compact", "retention.ms": "7"}),
            _topic("kmirror-events", 1, {"cleanup.policy": "delete", "retention.ms": "7"}),
            _topic("mm2-status.A.internal", 1, {"min.insync.replicas": "2"}),
        ),
        untold=("sizes are not told",),
    )
    missing = CheckFinding(level=Level.NOTE, kind="missing_right", where="A", words="lacks Read")
    known = KnownCluster(
        asked_ms=now_ms,
        answered_ms=now_ms,
        latency_ms=1.5,
        state=state,
        looked_ms=now_ms,
        survey=survey,
        rights=ClusterRights(missing=(missing,), unchecked=("B->A",)),
        clock=ClusterClock(ahead_s=3.2),
        certificates={"client": 2.5},
    )
    monkeypatch.setattr(ClusterWatch, "_run", lambda self: setattr(self, "known", known))
    with watching([file_of(tmp_path)]) as clusters:
        found = clusters.cluster("A")
    assert (found.answers, found.error, found.topics) == (True, "", 3)
    assert [each.unreachable for each in found.brokers] == ["", "", "refused"]
    assert [each.is_controller for each in found.brokers] == [False, True, False]
    assert [each.rack for each in found.brokers] == ["r0", "r1", "r2"]
    beats, events, states = found.internal
    assert (beats.doubt, beats.retention_ms) == ("", None)
    assert (events.doubt, events.retention_ms) == ("one replica: it is gone with its broker", 7)
    assert "nothing can be written" in states.doubt
    assert found.features is None
    assert (found.clock_ahead_s, found.clock_unknown) == (3.2, "")
    assert found.missing_rights is not None
    assert [(each.words, each.is_optional) for each in found.missing_rights] == [
        ("lacks Read", True)
    ]
    assert [(each.kind, each.ends_ms) for each in found.certificates] == [("client", 2500)]
    assert found.notes == (
        "sizes are not told",
        "rights for B->A are not checked: its source has not told its topics",
    )


def _topic(name: str, replicas: int, settings: dict[str, str]) -> InternalTopic:
    return InternalTopic(
        state=TopicState(name=name, partitions=1, replicas=replicas),
        purpose="for a test",
        settings=settings,
        records=None,
        bytes=None,
    )
