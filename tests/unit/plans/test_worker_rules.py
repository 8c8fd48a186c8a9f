"""What would go wrong with a Connect worker."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from kmirror.plans.check_rules import CheckFinding, Level
from kmirror.plans.worker_rules import (
    Storage,
    StorageFacts,
    WorkerFacts,
    WorkerFileFacts,
    check_worker,
    check_worker_file,
)

CONFIG = StorageFacts(
    kind=Storage.CONFIG,
    where="worker.properties:5",
    topic="connect-configs",
    partitions=1,
    replicas=3,
    settings={"cleanup.policy": "compact", "min.insync.replicas": "2"},
)
FILE = WorkerFileFacts(where="worker.properties", slots=("worker.properties:9", 2))


def told(findings: Iterable[CheckFinding]) -> list[tuple[Level, str, str]]:
    """Give what programs see."""
    return [(each.level, each.kind, each.where) for each in findings]


def storages(*facts: StorageFacts) -> WorkerFacts:
    """Give a worker with these topics, on three brokers."""
    return WorkerFacts(storages=facts, brokers=3)


def test_a_worker_that_is_fine() -> None:
    """There is nothing to say; partitions of the other topics are free."""
    others = [
        replace(CONFIG, kind=kind, partitions=25) for kind in (Storage.OFFSET, Storage.STATUS)
    ]
    assert not told(check_worker(storages(CONFIG, *others)))
    assert not told(check_worker_file(FILE))


@pytest.mark.parametrize(
    ("facts", "level", "kind", "words", "do"),
    [
        (
            replace(CONFIG, partitions=3),
            Level.ERROR,
            "storage_partitions",
            "required to have a single partition",
            "name another topic",
        ),
        (
            replace(CONFIG, settings={"cleanup.policy": "compact,delete"}),
            Level.ERROR,
            "storage_policy",
            "'cleanup.policy=compact,delete'",
            "--entity-name connect-configs --add-config cleanup.policy=compact",
        ),
        (
            replace(CONFIG, settings=None),
            Level.NOTE,
            "storage_untold",
            "may not be read",
            "DescribeConfigs",
        ),
        (
            replace(CONFIG, settings={"min.insync.replicas": "4"}),
            Level.ERROR,
            "storage_in_sync",
            "min.insync.replicas = 4, and it has 3 replicas",
            "set min.insync.replicas = 3",
        ),
        (
            replace(CONFIG, replicas=1, settings={}),
            Level.WARNING,
            "storage_replicas",
            "one replica, and there are 3 brokers",
            "3 replicas",
        ),
        (
            replace(CONFIG, partitions=None),
            Level.NOTE,
            "storage_absent",
            "config.storage.topic = connect-configs: there is no such topic",
            "",
        ),
    ],
)
def test_a_topic_of_the_worker(
    facts: StorageFacts, level: Level, kind: str, words: str, do: str
) -> None:
    """Each is told with its line and what to do."""
    (finding,) = check_worker(storages(facts))
    assert told([finding]) == [(level, kind, "worker.properties:5")]
    assert words in finding.words
    assert finding.words.startswith("config.storage.topic = connect-configs: ")
    assert do in finding.do


def test_workers_of_connect_in_the_group() -> None:
    """The worker would not begin beside them."""
    facts = WorkerFacts(group=("worker.properties:2", "connect"), others=2)
    (finding,) = check_worker(facts)
    assert told([finding]) == [(Level.ERROR, "workers_of_connect", "worker.properties:2")]
    assert "2 workers of Kafka Connect" in finding.words


def test_a_server_that_others_reach() -> None:
    """What connectors may override matters only there."""
    opened = replace(
        FILE,
        open_listeners=(("worker.properties:8", "http://0.0.0.0:8083"),),
        why_open="set kmirror.rest.users.file",
    )
    (finding,) = check_worker_file(opened)
    assert told([finding]) == [(Level.WARNING, "rest_open", "worker.properties:8")]
    assert finding.do == "set kmirror.rest.users.file"
    both = told(check_worker_file(replace(opened, overrides=True)))
    assert [kind for _, kind, _ in both] == ["rest_open", "override_policy"]
    assert not told(check_worker_file(replace(FILE, overrides=True)))


def test_flows_that_find_no_room() -> None:
    """All slots of all flows count together."""
    assert not told(check_worker_file(replace(FILE, wanted={"A->B": 1, "B->A": 1})))
    (finding,) = check_worker_file(replace(FILE, wanted={"A->B": 1, "B->A": 2}))
    assert told([finding]) == [(Level.ERROR, "slots", "worker.properties:9")]
    assert "A->B, B->A have 3 slots together" in finding.words
    assert "kmirror.connect.slots = 3" in finding.do


def test_a_connector_that_does_nothing() -> None:
    """It is told, with its file."""
    (finding,) = check_worker_file(replace(FILE, idle=(("source.json", "a-to-b"),)))
    assert told([finding]) == [(Level.NOTE, "connector_off", "source.json")]
