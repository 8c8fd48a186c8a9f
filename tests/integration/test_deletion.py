"""A topic is deleted on the source: what becomes of its copy, and what proves it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from confluent_kafka.admin import NewPartitions  # type: ignore[attr-defined]  # public, but not in __all__
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.acls import Acl, grant, revoke
from tests.support.bounded import copy_once
from tests.support.commands import apply, order, plan, status
from tests.support.driver import Driver, DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import numbered, read, topics_of, write
from tests.support.topic_settings import change_settings, own_settings

pytestmark = pytest.mark.kafka

OLD, NEW = numbered("old", range(40)), numbered("new", range(10))
# One interval of looking for topics is 1 s here; the rest is for a busy machine.
_NOTICED_S_MAX = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A flow of its own with two topics, one of which will be deleted."""

    pair: ClusterPair
    folder: Path
    name: str
    settings: tuple[str, ...]

    @property
    def topic(self) -> str:
        return f"{self.name}-gone"

    @property
    def other(self) -> str:
        return f"{self.name}-stays"

    @property
    def flow(self) -> str:
        return f"S{self.name}->T{self.name}"

    @property
    def copy(self) -> str:
        return f"S{self.name}.{self.topic}"

    @property
    def path(self) -> Path:
        return self.folder / "mm2.properties"

    def file(self, *settings: str) -> Path:
        """Write its file, with more settings of the flow."""
        clusters = {f"S{self.name}": self.pair.a, f"T{self.name}": self.pair.b}
        more = ("refresh.topics.interval.seconds = 1", *self.settings, *settings)
        return mirror_file(self.folder, clusters, *flow_lines(self.flow, f"{self.name}-.*", *more))

    def driven(self, start: DriverFactory) -> Driver:
        """Start it, and wait until both topics are copied and the source is known."""
        for topic in (self.topic, self.other):
            write(self.pair.a, self.pair.a.create_topic(topic), OLD)
        driver = start(self.file())
        wait_until(lambda: self.copied() == OLD, f"{self.copy} is copied", timeout_s=120)
        log = f"__kmirror-deletions-S{self.name}-T{self.name}"
        wait_until(lambda: log in topics_of(self.pair.b), f"{log} is there", timeout_s=60)
        wait_until(lambda: bool(read(self.pair.b, log)), "the source is known", timeout_s=60)
        return driver

    def copied(self) -> list[object]:
        """Give what the copy holds."""
        if self.copy not in topics_of(self.pair.b):
            return []
        return list(read(self.pair.b, self.copy))

    def delete(self) -> None:
        """Delete the topic on the source, and wait until that is known."""
        admin = self.pair.a.admin()
        admin.delete_topics([self.topic])[self.topic].result()
        wait_until(
            lambda: self.topic not in topics_of(self.pair.a), f"{self.topic} is gone", timeout_s=30
        )

    def states(self) -> set[str]:
        """Give the states of the topic's partitions."""
        answer = status(self.path, self.flow, self.topic, "--json")
        return {json.loads(line)["state"] for line in answer.text.splitlines()}


def new_case(pair: ClusterPair, folder: Path, policy: str) -> Case:
    name = f"del{secrets.token_hex(3)}"
    settings = (f"kmirror.topic.deletion = {policy}",)
    return Case(pair=pair, folder=folder, name=name, settings=settings)


@pytest.mark.spark
def test_quarantine_and_release(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """No topic of the same name is copied over it, until somebody says so; once is enough."""
    case = new_case(kafka_pair, tmp_path, "ignore, .*-gone: quarantine")
    driver = case.driven(warm_driver)
    case.delete()
    driver.wait_for_line(
        rf"WARNING .*{case.topic} was deleted on the source .*: {case.copy}: quarantine",
        timeout_s=_NOTICED_S_MAX,
    )
    assert case.states() == {"quarantined"}
    assert f"kmirror release FILE '{case.flow}' {case.topic}" in " ".join(
        status(case.path).text.split()
    )
    settings = own_settings(kafka_pair.b, case.copy)

    write(kafka_pair.a, kafka_pair.a.create_topic(case.topic), NEW)
    change_settings(kafka_pair.a, case.topic, {"retention.ms": "12345678"})
    admin = kafka_pair.a.admin()
    admin.create_partitions([NewPartitions(case.topic, 2)])[case.topic].result(30)
    driver.wait_for_line(rf"parked {case.topic}-0: quarantined since", timeout_s=_NOTICED_S_MAX)
    assert case.states() == {"quarantined"}
    planned = plan(case.path)
    assert f"{case.copy} is in quarantine" in planned.text
    assert apply(case.path).code == planned.code == 5
    assert driver.stop() == 0
    # No choice of the file, and no restart, copies to it.
    for choice in ("kmirror.topic.recreated = continue", "kmirror.position.missing = earliest"):
        copy_once(warm_driver, case.file(choice), code=5)
    assert case.copied() == OLD
    assert own_settings(kafka_pair.b, case.copy) == settings

    chosen = case.file("kmirror.topic.recreated = continue")
    again = warm_driver(chosen)
    again.wait_running()
    refused = order("release", chosen, case.flow, case.other)
    assert refused.code == 2, refused.text
    dry = order("release", chosen, case.flow, case.topic, "--dry-run")
    assert (dry.code, dry.text[: len(case.flow) + 12]) == (0, f"{case.flow}: would have")
    released = order("release", chosen, case.flow, case.topic)
    assert released.code == 0, released.text
    assert "in effect after" in released.text
    again.wait_until(
        lambda: case.copied() == [*OLD, *NEW], "the new topic is copied", _NOTICED_S_MAX
    )
    # It is forgotten once the new topic is copied.
    second = order("release", chosen, case.flow, case.topic).text
    assert "was released before" in second or "holds no copy" in second
    assert again.stop() == 0


@pytest.mark.spark
def test_deleted_and_made_again_at_once(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """The name has another id: that is proof, too, also while nothing runs."""
    case = new_case(kafka_pair, tmp_path, "quarantine")
    assert case.driven(warm_driver).stop() == 0
    case.delete()
    write(kafka_pair.a, kafka_pair.a.create_topic(case.topic), NEW)
    chosen = case.file("kmirror.topic.recreated = continue")
    copy_once(warm_driver, chosen, code=5)
    assert case.copied() == OLD
    assert case.states() == {"quarantined"}
    assert f"note   {case.copy}: {case.topic} was deleted" in plan(chosen).text
    assert order("release", chosen, case.flow, case.topic, "--json").code == 0
    copy_once(warm_driver, chosen)
    assert case.copied() == [*OLD, *NEW]


@pytest.mark.spark
def test_deleted_after_a_while(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """The time counts from the proof, over restarts; a new topic of the name begins anew."""
    case = new_case(kafka_pair, tmp_path, "delete-after=1d")
    driver = case.driven(warm_driver)
    case.delete()
    driver.wait_for_line(rf"{case.topic} was deleted on the source", timeout_s=_NOTICED_S_MAX)
    assert driver.stop() == 0
    planned = plan(case.path)
    assert planned.code == 0, planned.text
    assert f"wait   {case.copy}: {case.topic} was deleted, seen" in planned.text
    assert "would be deleted at" in planned.text
    assert case.copied() == OLD

    soon = Case(
        pair=case.pair,
        folder=case.folder,
        name=case.name,
        settings=("kmirror.topic.deletion = delete-after=1s",),
    )
    assert f"delete {case.copy}" in plan(soon.file()).text
    driver = warm_driver(soon.file())
    driver.wait_for_line(rf"deleted {case.copy} on the target", timeout_s=_NOTICED_S_MAX)
    wait_until(lambda: case.copy not in topics_of(kafka_pair.b), "the copy is gone", timeout_s=30)
    assert f"S{case.name}.{case.other}" in topics_of(kafka_pair.b)
    assert plan(soon.file()).code == 0

    write(kafka_pair.a, kafka_pair.a.create_topic(case.topic), NEW)
    driver.wait_until(lambda: case.copied() == NEW, "the new topic is copied", _NOTICED_S_MAX)
    assert driver.stop() == 0


@pytest.mark.spark
def test_apply_deletes_once(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Without a flow: what is planned is done, and a second time nothing is left to do."""
    case = new_case(kafka_pair, tmp_path, "delete-after=1s")
    assert case.driven(warm_driver).stop() == 0
    case.delete()
    planned = json.loads(plan(case.path, "--json").text)
    assert [each["topic"] for each in planned["gone"]] == [case.topic]
    assert not planned["delete"]
    assert apply(case.path).code == 0
    wait_until(lambda: f"delete {case.copy}" in plan(case.path).text, "it is due", timeout_s=30)
    applied = json.loads(apply(case.path, "--json").text)
    assert [each["gone"]["copy"] for each in applied["deleted"]] == [case.copy]
    wait_until(lambda: case.copy not in topics_of(kafka_pair.b), "the copy is gone", timeout_s=30)
    again = json.loads(apply(case.path, "--json").text)
    assert not [*again["gone"], *again["back"], *again["deleted"]]


_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_PASSWORD = "not-much-of-a-secret"


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Cluster]:
    """Start a source that asks who reads."""
    cluster = Cluster(
        "guarded",
        tmp_path / "guarded",
        listeners={"LOGIN": "SASL_PLAINTEXT"},
        config={
            "sasl.enabled.mechanisms": "PLAIN",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            # Whoever comes in without a password is the test.
            "super.users": "User:ANONYMOUS",
            "listener.name.login.plain.sasl.jaas.config": f'{_MODULE} user_mirror="{_PASSWORD}";',
        },
    )
    with started(cluster):
        yield cluster


@pytest.mark.spark
def test_a_topic_that_is_hidden_is_not_gone(
    kafka_pair: ClusterPair, guarded: Cluster, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """Without Describe it is out of sight: that proves nothing, and nothing is deleted."""
    name = f"hid{secrets.token_hex(3)}"
    source, target, topic, other = f"S{name}", f"T{name}", f"{name}-gone", f"{name}-stays"
    file = mirror_file(
        tmp_path,
        {source: guarded.bootstrap_of("LOGIN"), target: kafka_pair.b},
        *flow_lines(
            f"{source}->{target}",
            f"{name}-.*",
            "refresh.topics.interval.seconds = 1",
            "kmirror.topic.deletion = delete-after=0s",
            "emit.checkpoints.enabled = false",
            "emit.offset-syncs.enabled = false",
        ),
        f"{source}.security.protocol = SASL_PLAINTEXT",
        f"{source}.sasl.mechanism = PLAIN",
        f'{source}.sasl.jaas.config = {_MODULE} username="mirror" password="{_PASSWORD}";',
    )
    rights = {
        each: [
            Acl(
                cluster=source,
                principal="User:mirror",
                resource="topic",
                name=each,
                is_prefix=False,
                operation=operation,
            )
            for operation in ("Read", "DescribeConfigs")
        ]
        for each in (topic, other)
    }
    for each, acls in rights.items():
        write(guarded, guarded.create_topic(each), OLD)
        grant(guarded, *acls)
    driver = warm_driver(file)
    copy = f"{source}.{topic}"
    driver.wait_until(
        lambda: copy in topics_of(kafka_pair.b) and list(read(kafka_pair.b, copy)) == OLD,
        "it is copied",
        120,
    )
    log = f"__kmirror-deletions-{source}-{target}"
    wait_until(lambda: log in topics_of(kafka_pair.b), "the source is known", timeout_s=60)
    revoke(guarded, *rights[topic])
    driver.wait_for_line(rf"{topic}: the source does not say whether it is there", timeout_s=40)
    assert "leave" in plan(file).text
    assert copy in topics_of(kafka_pair.b)
    assert list(read(kafka_pair.b, copy)) == OLD
    # Gone while it is hidden: still no proof. Seen again, it is one.
    admin = guarded.admin()
    admin.delete_topics([topic])[topic].result()
    assert apply(file).code == 0
    assert copy in topics_of(kafka_pair.b)
    grant(guarded, *rights[topic])
    driver.wait_for_line(rf"deleted {copy} on the target", timeout_s=_NOTICED_S_MAX)
    assert driver.stop() == 0
