"""The state of a Connect cluster on real brokers, without Connect."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from confluent_kafka import Producer
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.admin.client import KafkaAdmin
from kmirror.clock import SystemClock
from kmirror.config.worker import StorageTopic, load_worker
from kmirror.connect.store import ConnectStore
from kmirror.connect.store_topics import StoreTopics
from kmirror.errors import ClusterUnavailable, EnvironmentProblem, RebalanceNeeded
from kmirror.events.connect import CONNECT_RECORD_UNREADABLE
from kmirror.events.emit import Occurrence, subscribed
from kmirror.inspect.worker_survey import survey_worker
from kmirror.plans.snapshot import settings_of
from kmirror.plans.topics import NewTopic
from kmirror.plans.worker_rules import Storage, check_worker
from kmirror.wire.connect_configs import (
    ClusterLoggerLevel,
    ConfigRecord,
    ConnectorConfig,
    ConnectorTarget,
    RestartRequest,
    TaskCount,
    TasksCommit,
    task_records,
)
from kmirror.wire.connect_nouns import TargetState, TaskId, WorkerState
from kmirror.wire.connect_statuses import (
    ConnectorStatusRecord,
    StoredStatus,
    TaskStatusRecord,
    TopicStatusRecord,
    TopicUse,
)
from kmirror.wire.source_offsets import SourceOffset

pytestmark = pytest.mark.kafka

CONFIG = {"name": "c", "topics": "é"}
CREATED = ConnectorConfig(connector="c", config=CONFIG)
DELETED = ConnectorConfig(connector="c", config=None)


def store_topics(name: str) -> StoreTopics:
    """Return topics that nobody else has."""
    few = (("segment.ms", "600000"), ("cleanup.policy", "delete"))
    config, offset, status = (
        StorageTopic(name=f"{name}-{kind}", partitions=count, replication_factor=3, settings=few)
        for kind, count in (("configs", 1), ("offsets", 5), ("status", 2))
    )
    return StoreTopics(config=config, offset=offset, status=status)


class Workers:
    """Stores of one Connect cluster."""

    def __init__(self, bootstrap: str, running: ExitStack) -> None:
        self.name = f"connect-{secrets.token_hex(4)}"
        self.topics = store_topics(self.name)
        self.config = {"bootstrap.servers": bootstrap}
        self.admin = running.enter_context(KafkaAdmin("W", self.config, timeout_s=30))
        self._running = running

    def file(self, folder: Path) -> Path:
        """Give a worker's file that names these topics, the first of them in line 3."""
        topics = (self.topics.config, self.topics.offset, self.topics.status)
        lines = [
            f"bootstrap.servers = {self.config['bootstrap.servers']}",
            f"group.id = {self.name}",
            *(
                f"{kind}.storage.topic = {topic.name}"
                for kind, topic in zip(Storage, topics, strict=True)
            ),
        ]
        path = folder / "worker.properties"
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    def store(
        self, listen: Callable[[ConfigRecord], object] = lambda _record: None
    ) -> ConnectStore:
        """Give one worker's; it has not started."""
        store = ConnectStore(
            self.topics,
            group_id=self.name,
            admin=self.admin,
            rdkafka=self.config,
            listen=listen,
            timeout_s=20,
            clock=SystemClock(),
        )
        return self._running.enter_context(store)


@pytest.fixture
def workers(kafka_pair: ClusterPair) -> Iterator[Workers]:
    """Give a Connect cluster of its own."""
    with ExitStack() as running:
        yield Workers(kafka_pair.b.bootstrap, running)


def test_one_writes_and_all_know(workers: Workers) -> None:
    """What was written is read at once, and others are told of it."""
    told: list[ConfigRecord] = []
    first, second = workers.store(), workers.store(told.append)
    assert first.start().version == 0
    second.start()
    assert first.claim().connectors == {}
    paused = ConnectorTarget(connector="c", state=TargetState.PAUSED)
    connector = first.write([paused, CREATED]).connectors["c"]
    assert (connector.config, connector.target) == (CONFIG, TargetState.PAUSED)
    state = first.write(task_records("c", [{"n": "0"}, {"n": "1"}]))
    assert state.connectors["c"].tasks == ({"n": "0"}, {"n": "1"})
    request = RestartRequest(connector="c", only_failed=True, include_tasks=False)
    state = first.write([TaskCount(connector="c", tasks=2), request])
    assert second.refresh() == state
    assert told == [CREATED, TasksCommit(connector="c", tasks=2), request]
    second.put_logger_level("a.b", "DEBUG")
    level = ClusterLoggerLevel(logger="a.b", level="DEBUG")
    wait_until(lambda: told[-1] == level, "all are told of the level", timeout_s=20)
    assert first.write([DELETED]).connectors == {}
    # Requests of the past are nobody's now.
    late: list[ConfigRecord] = []
    assert workers.store(late.append).start().connectors == {}
    assert not late


def test_who_claimed_before_writes_no_more(workers: Workers) -> None:
    """Neither what it wants now, nor later; and nothing of it is there."""
    first, second = workers.store(), workers.store()
    first.start()
    with pytest.raises(RebalanceNeeded):
        first.write([CREATED])
    first.claim()
    first.write([CREATED])
    second.start()
    second.claim()
    for _ in range(2):
        with pytest.raises(RebalanceNeeded):
            first.write([DELETED])
    other = ConnectorConfig(connector="d", config=CONFIG)
    assert second.write([other]).connectors.keys() == {"c", "d"}
    # It may write again, but has to claim, and then knows what the other one has written.
    assert first.claim().connectors.keys() == {"c", "d"}
    assert first.write([DELETED]).connectors.keys() == {"d"}


def test_statuses_and_offsets(workers: Workers) -> None:
    """They are read again, by whoever starts later, too."""
    store = workers.store()
    store.start()
    mine = StoredStatus(state=WorkerState.RUNNING, worker_id="w:1", generation=2)
    theirs = StoredStatus(state=WorkerState.RUNNING, worker_id="w:2", generation=3)
    late = StoredStatus(state=WorkerState.UNASSIGNED, worker_id="w:1", generation=2)
    use = TopicUse(task=0, discovered_ms=5)
    store.put_statuses(
        [
            ConnectorStatusRecord(connector="c", status=mine),
            TaskStatusRecord(task=TaskId("c", 0), status=theirs),
            TopicStatusRecord(topic="t", connector="c", use=use),
        ]
    )
    wait_until(lambda: bool(store.statuses().topics), "statuses are read", timeout_s=20)
    store.refresh()
    store.put_statuses(
        [
            ConnectorStatusRecord(connector="c", status=late),
            TaskStatusRecord(task=TaskId("c", 0), status=late),
        ]
    )
    places = [
        SourceOffset(connector="c", partition={"p": number}, offset={"o": 1})
        for number in range(20)
    ]
    store.put_offsets(places)
    store.put_offsets([SourceOffset(connector="c", partition={"p": 19}, offset=None)])
    other = workers.store()
    other.start()
    for each in (store, other):
        assert each.statuses().connectors == {"c": late}
        assert each.statuses().tasks == {"c": {0: theirs}}
        assert each.statuses().topics == {"c": {"t": use}}
        assert len(each.offsets("c")) == 19


def test_rubbish_is_passed_over_and_told(workers: Workers) -> None:
    """Anybody may write to the topics."""
    store = workers.store()
    store.start()
    store.claim()
    told: list[Occurrence] = []

    def hear(occurrence: Occurrence) -> None:
        if occurrence.event is CONNECT_RECORD_UNREADABLE:
            told.append(occurrence)

    with subscribed(hear):
        rubbish = Producer(workers.config)
        for topic in (workers.topics.config, workers.topics.status, workers.topics.offset):
            rubbish.produce(topic.name, b"{", b"rubbish")
            rubbish.produce(topic.name, None, b"\xff")
        assert rubbish.flush(20) == 0
        assert store.write([CREATED]).connectors.keys() == {"c"}
        assert store.offsets("c") == ()
        wait_until(lambda: len(told) == 6, "it is told", timeout_s=20)
    assert "nobody can use this record" in str(told[0])
    assert not store.trouble


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_reader_that_has_died_keeps_nobody_waiting(workers: Workers) -> None:
    """Whoever waits for what it should have read is told so."""

    def fail(record: ConfigRecord) -> None:
        raise AssertionError(record)

    store = workers.store(fail)
    store.start()
    store.claim()
    with pytest.raises(ClusterUnavailable, match="the thread that reads has ended"):
        store.write([CREATED])
    assert store.trouble


def test_topics_are_made_as_connect_makes_them(workers: Workers) -> None:
    """Compacted, whatever the file says; with as many copies as there are brokers."""
    workers.store().start()
    topics = workers.admin.topics()
    wanted = {"configs": 1, "offsets": 5, "status": 2}
    assert {kind: topics[f"{workers.name}-{kind}"].partitions for kind in wanted} == wanted
    name = workers.topics.config.name
    settings = settings_of(workers.admin.topic_configs([name])[name])
    assert (settings["cleanup.policy"], settings["segment.ms"]) == ("compact", "600000")


@pytest.mark.parametrize(
    ("partitions", "policy", "words", "kind"),
    [
        (2, "compact", "but found 2 partitions", "storage_partitions"),
        (
            1,
            "delete,compact",
            "found the topic currently has 'cleanup.policy=delete,compact'",
            "storage_policy",
        ),
    ],
)
def test_topics_that_lose_settings_are_refused(
    workers: Workers, tmp_path: Path, *, partitions: int, policy: str, words: str, kind: str
) -> None:
    """With Connect's own words, which `kmirror check` has, too."""
    new = NewTopic(
        name=workers.topics.config.name,
        partitions=partitions,
        replication_factor=1,
        configs=(("cleanup.policy", policy),),
    )
    assert not workers.admin.create_topics([new])
    config = load_worker(workers.file(tmp_path), environ={})
    found = check_worker(survey_worker(config, timeout_s=20, clock=SystemClock()))
    refused, *absent = sorted(found, key=lambda each: each.kind, reverse=True)
    assert (refused.kind, refused.where.rpartition(":")[2]) == (kind, "3")
    assert words in refused.words
    assert [each.kind for each in absent] == ["storage_absent"] * 2
    with pytest.raises(EnvironmentProblem, match=words):
        workers.store().start()


def test_two_workers_change_the_same(workers: Workers) -> None:
    """Whoever claims, reads, changes and writes takes nothing of the other's back."""
    stores = [workers.store() for _ in range(2)]
    for store in stores:
        store.start()

    def count(store: ConnectStore) -> None:
        done = 0
        while done < 5:
            known = store.claim().connectors.get("c")
            number = 0 if known is None else int(known.config["n"] or 0)
            with suppress(RebalanceNeeded):
                store.write([ConnectorConfig(connector="c", config={"n": str(number + 1)})])
                done += 1

    threads = [threading.Thread(target=count, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert stores[0].refresh().connectors["c"].config == {"n": "10"}
