"""Settings kept equal on clusters in memory: what is told, in which order, and how often."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from kmirror.admin.base import TopicConfigs
from kmirror.admin.fake import FakeAdmin
from kmirror.clock import ManualClock
from kmirror.config.flows import FlowConfig
from kmirror.config.load import load
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterError, ClusterUnavailable, MirrorError, NotAuthorized
from kmirror.events.emit import Occurrence, subscribed
from kmirror.model import Flow
from kmirror.parity.parity import Parity
from kmirror.parity.settings_sync import SettingsSync
from kmirror.plans.snapshot import TopicConfigEntry, settings_of
from kmirror.plans.topic_settings import SettingChange
from kmirror.plans.topics import NewTopic
from kmirror.schedule.throttle import Throttle
from tests.support.fake_flow import fake_clients

FILE = """\
clusters = A, B
A.bootstrap.servers = a:9092
B.bootstrap.servers = b:9092
A->B.enabled = true
A->B.topics = t.*
A->B.config.properties.exclude = message\\..*
"""
GRANT = "grant this principal AlterConfigs on the topic"


class Target(FakeAdmin):
    """A cluster that refuses what it is told to refuse, and notes what it was asked to change."""

    def __init__(self) -> None:
        super().__init__("B")
        self.refused: dict[str, MirrorError] = {}
        self.refuses_policy = False
        self.asked: list[list[str]] = []

    def alter_topic_configs(
        self, changes: Sequence[SettingChange], *, validate_only: bool = False
    ) -> Mapping[str, MirrorError]:
        self.asked.append([f"{change.topic}:{change.name}" for change in changes])
        failed = {each.topic: self.refused[each.topic] for each in changes if self._denies(each)}
        for change in changes:
            if self.refuses_policy and change.name == "cleanup.policy":
                failed.setdefault(change.topic, ClusterError("cleanup.policy: says the policy"))
        left = [change for change in changes if change.topic not in failed]
        return {**super().alter_topic_configs(left, validate_only=validate_only), **failed}

    def readable_topic_configs(self, names: Iterable[str]) -> TopicConfigs:
        found = super().readable_topic_configs(names)
        hidden = {name: NotAuthorized(name) for name in found.entries if name.endswith("secret")}
        entries = {name: each for name, each in found.entries.items() if name not in hidden}
        return TopicConfigs(entries=entries, refused=hidden)

    def _denies(self, change: SettingChange) -> bool:
        return change.topic in self.refused


class World:
    """Two clusters, and what keeps the settings of the one those of the other."""

    def __init__(self, folder: Path, *lines: str) -> None:
        file = folder / "mm2.properties"
        file.write_text(FILE + "".join(f"{line}\n" for line in lines))
        self.config: FlowConfig = load(file, environ={}).flow(Flow("A", "B"))
        self.source, self.target = FakeAdmin("A"), Target()
        self.sync = SettingsSync(self.config, self.source, self.target)

    def make(self, name: str, source: dict[str, str], target: dict[str, str]) -> None:
        """Make a topic and its copy."""
        for admin, topic, configs in (
            (self.source, name, source),
            (self.target, f"A.{name}", target),
        ):
            new = NewTopic(
                name=topic, partitions=1, replication_factor=1, configs=tuple(configs.items())
            )
            assert admin.create_topics([new]) == {}

    def settings(self, name: str) -> dict[str, str]:
        """Give what a topic's copy has of its own."""
        entries: tuple[TopicConfigEntry, ...] = self.target.topic_configs([f"A.{name}"])[
            f"A.{name}"
        ]
        return settings_of(entry for entry in entries if not entry.is_default)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Give clusters without topics."""
    return World(tmp_path)


@contextmanager
def heard() -> Iterator[list[str]]:
    """Give the names and lines of the events of a block."""
    lines: list[str] = []

    def note(each: Occurrence) -> None:
        lines.append(f"{each.event.name}: {each}")

    with subscribed(note):
        yield lines


def test_drift_is_told_and_then_reverted(world: World) -> None:
    """In one line for a topic; the second round has nothing to do or to tell."""
    world.make("t", {"retention.ms": "5"}, {"retention.ms": "9", "cleanup.policy": "compact"})
    before: list[dict[str, str]] = []
    with subscribed(lambda _: before.append(world.settings("t"))), heard() as lines:
        world.sync.sync()
        world.sync.sync()
    assert lines == [
        "topic_settings.drifted: A->B: A.t: cleanup.policy: compact becomes the brokers' default "
        "(t has its default); retention.ms: 9 becomes 5 (as t has it)"
    ]
    assert before == [{"retention.ms": "9", "cleanup.policy": "compact"}]
    assert world.settings("t") == {"retention.ms": "5"}


def test_what_is_not_ours_stays(world: World) -> None:
    """Excluded settings, topics that are not selected, and topics without a copy."""
    world.make("t", {}, {"message.timestamp.type": "LogAppendTime"})
    world.make("other", {"retention.ms": "5"}, {"retention.ms": "9"})
    alone = NewTopic(name="t-alone", partitions=1, replication_factor=1)
    world.source.create_topics([alone])
    with heard() as lines:
        world.sync.sync()
    assert lines == []
    assert world.settings("t") == {"message.timestamp.type": "LogAppendTime"}
    assert world.settings("other") == {"retention.ms": "9"}


@pytest.mark.parametrize("line", ["enabled = false", "interval.seconds = -1"])
def test_the_file_switches_it_off(tmp_path: Path, line: str) -> None:
    world = World(tmp_path, f"sync.topic.configs.{line}")
    world.make("t", {"retention.ms": "5"}, {"retention.ms": "9"})
    world.sync.sync()
    assert world.settings("t") == {"retention.ms": "9"}


def test_a_missing_right_is_told_once_for_all_topics(world: World) -> None:
    """With what has to be granted; and again when it is another one."""
    for name in ("t1", "t2", "t3"):
        world.make(name, {"retention.ms": "5"}, {"retention.ms": "9"})
        world.target.refused[f"A.{name}"] = NotAuthorized(f"not authorized: A.{name}", hint=GRANT)
    with heard() as lines:
        world.sync.sync()
        world.sync.sync()
    assert [line.partition(":")[0] for line in lines] == ["topic_settings.drifted"] * 3 + [
        "topic_settings.kept"
    ]
    assert lines[-1].endswith(
        f"retention.ms of A.t1 and 2 other topics: not kept equal: not authorized: A.t1 ({GRANT})"
    )
    del world.target.refused["A.t2"]
    with heard() as lines:
        world.sync.sync()
    assert "A.t1 and 1 other topic:" in lines[0]
    assert world.settings("t2") == {"retention.ms": "5"}
    assert world.settings("t1") == {"retention.ms": "9"}


def test_one_refused_setting_does_not_stop_the_others(world: World) -> None:
    """They are tried alone; a right that is missing is missing for all of them."""
    wanted = {"cleanup.policy": "compact", "min.insync.replicas": "1", "retention.ms": "5"}
    world.make("t", wanted, {})
    world.target.refuses_policy = True
    with heard() as lines:
        world.sync.sync()
    assert world.settings("t") == {"min.insync.replicas": "1", "retention.ms": "5"}
    assert lines[-1].endswith(
        "cleanup.policy of A.t: not kept equal: cleanup.policy: says the policy"
    )
    assert len(world.target.asked) == 4


def test_settings_that_nobody_may_read(world: World) -> None:
    """They are named; the other topic is kept equal."""
    world.make("t-secret", {"retention.ms": "5"}, {})
    world.make("t", {"retention.ms": "5"}, {})
    with heard() as lines:
        world.sync.sync()
        world.sync.sync()
    (kept,) = [line for line in lines if "kept" in line]
    assert "settings of A.t-secret: not kept equal" in kept
    assert world.settings("t") == {"retention.ms": "5"}


def test_a_target_that_is_away_is_no_refusal(world: World) -> None:
    """It is tried again, and its drift was told already."""
    world.make("t", {"retention.ms": "5"}, {})
    world.target.refused["A.t"] = ClusterUnavailable("timed out")
    with heard() as lines:
        for _ in range(2):
            with pytest.raises(ClusterUnavailable):
                world.sync.sync()
        world.target.refused.clear()
        world.sync.sync()
    assert [line.partition(":")[0] for line in lines] == ["topic_settings.drifted"]
    assert world.settings("t") == {"retention.ms": "5"}


class Broken(FakeAdmin):
    """A cluster that answers with an error, each time with the next one."""

    def __init__(self, *errors: Exception) -> None:
        super().__init__()
        self.errors = list(errors)

    def topics(self) -> Mapping[str, object]:  # type: ignore[override]  # it never returns
        raise self.errors.pop(0)


def test_trouble_stops_nothing(world: World) -> None:
    """Neither what was foreseen nor what was not; and once closed nothing is said at all."""
    source = Broken(ClusterError("refused"), ClusterError("again"), KeyError("?"), KeyError("?"))
    clock = ManualClock()
    clients: FlowClients = fake_clients(world.config, source)
    parity = Parity(world.config, clients, Throttle(clock), clock)
    with heard() as lines:
        parity._sync()
        parity._sync()  # said a moment ago
        for is_closed in (False, True):
            if is_closed:
                parity.close(0)
            with pytest.raises(KeyError) as surprise:
                parity._sync()
            assert parity._failed(surprise.value) is not is_closed
    assert [line.partition(":")[0] for line in lines] == [
        "topic_settings.failed",
        "topic_settings.crashed",
    ]
