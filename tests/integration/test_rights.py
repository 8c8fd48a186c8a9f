"""What `kmirror acls` prints is the least: each right that is taken away is named as missing."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka.admin import NewPartitions  # type: ignore[attr-defined]  # public, but not in __all__
from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.model import TopicPartition
from kmirror.wire.copy_generations import CopyGeneration
from tests.support.acls import Acl, grant, printed, revoke
from tests.support.commands import check, dlq, explain, offsets, order
from tests.support.connect_files import HEARTBEAT, connector
from tests.support.connect_process import start_worker
from tests.support.driver import DriverFactory
from tests.support.groups import commit
from tests.support.guarded_cluster import LOGIN_LINES, guarded_cluster
from tests.support.mirror_file import mirror_file
from tests.support.records import end_offset, numbered, record, write
from tests.support.rights_rounds import (
    BACK_IN,
    DENIED,
    GONE_IN,
    GROWS_IN,
    HIDDEN,
    LOOKING,
    ORDERED_IN,
    ORDERING,
    POISON,
    POISON_IN,
    REPLAYING,
    ROUNDS,
)
from tests.support.topic_settings import change_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_TOLD_S_MAX = 40
WORKER_LINES = (
    "group.id = guarded",
    "key.converter = org.apache.kafka.connect.converters.ByteArrayConverter",
    "value.converter = org.apache.kafka.connect.converters.ByteArrayConverter",
    *(f"{kind}.storage.topic = guarded-{kind}" for kind in ("config", "offset", "status")),
    *(f"{kind}.storage.replication.factor = 1" for kind in ("config", "offset", "status")),
    "offset.storage.partitions = 1",
    "status.storage.partitions = 1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """Two clusters with an authorizer, a file, and what it needs, by short names."""

    pair: ClusterPair
    file: Path
    acls: dict[str, Acl]

    def cluster(self, acl: Acl) -> Cluster:
        """Give the cluster of an ACL."""
        return self.pair.a if acl.cluster == "A" else self.pair.b


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Start both clusters and grant what the file needs."""
    folder = tmp_path_factory.mktemp("guarded")
    pair = ClusterPair(guarded_cluster("A", folder), guarded_cluster("B", folder))
    file = mirror_file(
        folder,
        {alias: each.bootstrap_of("LOGIN") for alias, each in zip("AB", pair, strict=True)},
        *LOGIN_LINES,
        "A->B.enabled = true",
        "A->B.topics = t-.*",
        "A->B.groups = g-.*",
        "A->B.sync.group.offsets.enabled = true",
        "A->B.emit.heartbeats.enabled = true",
        "A->B.kmirror.topic.deletion = delete-after=1s",
        "A->B.kmirror.poison = dlq",
        "A->B.kmirror.slots = 1",
    )
    acls = {f"{acl.cluster} {acl.name} {acl.operation}": acl for acl in printed(file)}
    with started(*pair):
        found = Guarded(pair=pair, file=file, acls=acls)
        for acl in acls.values():
            grant(found.cluster(acl), acl)
        pair.a.create_topic("t-grows", partitions=1)
        pair.b.create_topic("A.t-grows", partitions=1)
        yield found


def test_every_right_has_its_round(guarded: Guarded) -> None:
    """What is printed is what is taken away below, no more and no less."""
    taken = [name for each in ROUNDS for name in each.taken]
    assert sorted([*taken, HIDDEN, ORDERING, LOOKING]) == sorted(guarded.acls)


def _news(guarded: Guarded, number: int) -> None:
    """Let there be a new topic, a new partition of an old one, and a group that has moved."""
    a, admin = guarded.pair.a, guarded.pair.a.admin()
    for topic in (f"t-{number}", "t-grows"):
        if topic not in admin.list_topics(timeout=10).topics:
            a.create_topic(topic, partitions=1)
        write(a, topic, numbered(f"{topic}-{number}", range(10)), partition=0)
    if number == GROWS_IN:
        change_settings(a, "t-grows", {"retention.ms": "87654321"})
        admin.create_partitions([NewPartitions("t-grows", 2)])["t-grows"].result(_TOLD_S_MAX)
    if number == POISON_IN:
        # The copy gets the limit that came behind the record.
        write(a, a.create_topic(POISON, partitions=1), [record(secrets.token_bytes(50_000))])
        change_settings(a, POISON, {"max.message.bytes": "20000"})
    if number == GONE_IN:
        admin.delete_topics(["t-3"])["t-3"].result(_TOLD_S_MAX)
    if number == ORDERED_IN:
        answer = order("resume", guarded.file, "A->B")
        assert answer.code == 0, answer.text
    at = 1 if number == BACK_IN else number + 2
    commit(a, "g-1", {TopicPartition("t-grows", 0): at})


@pytest.mark.parametrize("number", range(len(ROUNDS)))
def test_a_missing_right_is_named(
    guarded: Guarded, warm_driver: DriverFactory, number: int, tmp_path: Path
) -> None:
    """Without it the driver says what it could not do, and with it again it does it."""
    played = ROUNDS[number]
    acls = [guarded.acls[name] for name in played.taken]
    _news(guarded, number)
    for acl in acls:
        revoke(guarded.cluster(acl), acl)
    driver = warm_driver(guarded.file, folder=tmp_path)
    try:
        if played.stop:
            driver.wait_running()
            assert driver.stop() == 0
        for line in played.taken.values():
            driver.wait_for_line(line, timeout_s=0 if played.stop else _TOLD_S_MAX)
        if played.fills:
            wait_until(
                lambda: end_offset(guarded.pair.b, played.fills) > 0,
                f"{played.fills} has records",
                timeout_s=_TOLD_S_MAX,
            )
        assert driver.stop() == 0
    finally:
        for acl in acls:
            grant(guarded.cluster(acl), acl)


def test_a_hidden_group_is_not_there(guarded: Guarded) -> None:
    """Brokers leave out what may not be described, without a word."""
    acl = guarded.acls[HIDDEN]
    assert "g-1" in offsets("show", guarded.file).text
    revoke(guarded.cluster(acl), acl)
    try:
        assert "g-1" not in offsets("show", guarded.file).text
    finally:
        grant(guarded.cluster(acl), acl)


def test_an_order_may_not_be_given(guarded: Guarded) -> None:
    """The command says what it lacks."""
    acl = guarded.acls[ORDERING]
    revoke(guarded.cluster(acl), acl)
    try:
        answer = order("pause", guarded.file, "A->B", "t-grows")
    finally:
        grant(guarded.cluster(acl), acl)
    assert answer.code != 0
    assert "not authorized to write to topic __kmirror-control-A-B" in answer.text


def test_a_replay_misses_its_rights_by_name(
    guarded: Guarded, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """They are optional: none of them is granted yet. With each the command gets further."""
    b = guarded.pair.b
    driver = warm_driver(guarded.file, folder=tmp_path)
    driver.wait_running()
    wait_until(
        lambda: end_offset(b, "kmirror-dlq.A") > 0, "there is a letter", timeout_s=_TOLD_S_MAX
    )
    assert driver.stop() == 0
    for cluster, topic in ((guarded.pair.a, POISON), (b, f"A.{POISON}")):
        change_settings(cluster, topic, {"max.message.bytes": None})
    optional = {
        acl.operation: acl
        for acl in printed(guarded.file, is_optional=True)
        if acl.name == "__kmirror-dlq-A-B"
    }
    assert sorted(optional) == sorted(REPLAYING)
    for operation in REPLAYING:
        answer = dlq("replay", guarded.file, "A->B", "--topic", POISON)
        assert answer.code != 0
        verb = operation.lower()
        assert re.search(f"{DENIED} {verb} .*__kmirror-dlq-A-B", answer.text), answer.text
        grant(b, optional[operation])
        if operation == "Write":
            done = dlq("replay", guarded.file, "A->B", "--topic", POISON)
            assert done.code == 0, done.text
    answer = dlq("replay", guarded.file, "A->B", "--topic", POISON)
    assert answer.code == 0
    assert "was replayed at" in answer.text
    assert end_offset(b, f"A.{POISON}") > 0


def test_letters_may_not_be_read(guarded: Guarded) -> None:
    """The command says what it lacks."""
    acl = guarded.acls[LOOKING]
    revoke(guarded.cluster(acl), acl)
    try:
        answer = dlq("list", guarded.file, "A->B")
    finally:
        grant(guarded.cluster(acl), acl)
    assert answer.code != 0
    assert "not authorized to read kmirror-dlq.A-0" in answer.text


def _checked(guarded: Guarded) -> tuple[int, list[dict[str, Any]]]:
    answer = check(guarded.file, "--json")
    return answer.code, json.loads(answer.text)["findings"]


def test_a_check_finds_nothing_where_all_is_granted(guarded: Guarded) -> None:
    """Only what clusters do not tell is a note, and nothing comes to be there."""
    before = [set(each.admin().list_topics(timeout=10).topics) for each in guarded.pair]
    code, findings = _checked(guarded)
    assert code == 0, findings
    assert {each["level"] for each in findings} <= {"note"}
    assert before == [set(each.admin().list_topics(timeout=10).topics) for each in guarded.pair]


def test_a_check_names_every_right_that_is_missing(guarded: Guarded) -> None:
    """All at once, each with the command that grants it again."""
    # What is there need not be created, and a hidden group is not there.
    told = {
        name: acl
        for name, acl in guarded.acls.items()
        if acl.operation != "Create" and name not in {HIDDEN, "B g- Read"}
    }
    for acl in told.values():
        revoke(guarded.cluster(acl), acl)
    # Else nothing is selected, and there is nothing to ask for.
    seen = [
        replace(guarded.acls[name], operation="Describe") for name in ("A t- Read", "B A.t- Read")
    ]
    for acl in seen:
        grant(guarded.cluster(acl), acl)
    try:
        code, findings = _checked(guarded)
    finally:
        for acl in seen:
            revoke(guarded.cluster(acl), acl)
        for acl in told.values():
            grant(guarded.cluster(acl), acl)
    assert code == 1
    missing = "\n".join(
        line for each in findings if each["kind"] == "missing_right" for line in each["commands"]
    )
    for name, acl in told.items():
        commands = [
            line
            for line in missing.replace("\\\n", "").split("kafka-acls.sh")
            if acl.name in line and f"--operation {acl.operation} " in line
        ]
        assert commands, f"{name} is not named in\n{missing}"


def test_a_worker_runs_with_what_is_printed_for_its_file(guarded: Guarded, tmp_path: Path) -> None:
    """It makes, changes and forgets a connector; then each missing right is named."""
    b = guarded.pair.b
    lines = [f"bootstrap.servers = {b.bootstrap_of('LOGIN')}", *LOGIN_LINES, *WORKER_LINES]
    file = tmp_path / "connect-distributed.properties"
    file.write_text("\n".join(lines), encoding="utf-8")
    acls = printed(file)
    grant(b, *acls)
    login = dict(line.split(" = ", 1) for line in LOGIN_LINES)
    servers = {"bootstrap.servers": b.bootstrap_of("LOGIN"), **login}
    body = connector(HEARTBEAT) | {
        f"{end}.cluster.{key}": text
        for end in ("source", "target")
        for key, text in servers.items()
    }
    worker = start_worker(tmp_path / "worker", lines)
    try:
        worker.wait_until_ready()
        worker.do("PUT", "/connectors/beats/config", 201, body)
        worker.wait_for_states("beats", "RUNNING", "RUNNING")
        worker.do("DELETE", "/connectors/beats", 204)
        assert worker.driver.stop() == 0, worker.driver.text
        worker.driver.check_log()
    finally:
        worker.driver.kill()
    revoke(b, *acls)
    answer = check(file, "--json")
    assert answer.code == 1, answer.text
    findings = json.loads(answer.text)["findings"]
    missing = [
        line.replace("\\\n", "")
        for each in findings
        if each["kind"] == "missing_right"
        for line in each["commands"]
    ]
    for acl in acls:
        # What is there need not be created.
        assert acl.operation == "Create" or any(
            f"--{acl.resource} {acl.name}" in line and f"--operation {acl.operation} " in line
            for line in missing
        ), f"{acl} is not named in {missing}"


@pytest.mark.parametrize(
    ("topic", "taken", "kind"),
    [
        ("t-grows", (), "selected"),
        ("t-grows", ("A t- Read", "A t- DescribeConfigs"), "missing_right"),
        ("t-grows", ("B A.t- Write",), "missing_right"),
        ("other", (), "not_named"),
    ],
)
def test_a_topic_is_explained(
    guarded: Guarded, topic: str, taken: tuple[str, ...], kind: str
) -> None:
    """The first reason is the one that matters, and a missing right has its command."""
    acls = [guarded.acls[name] for name in taken]
    for acl in acls:
        revoke(guarded.cluster(acl), acl)
    try:
        answer = explain(guarded.file, "A->B", topic, "--watch", "0", "--json")
    finally:
        for acl in acls:
            grant(guarded.cluster(acl), acl)
    report = json.loads(answer.text)
    reasons = {each["kind"]: each for each in report["reasons"]}
    assert kind in reasons, report
    assert answer.code == (0 if kind == "selected" else 5)
    for acl in acls:
        if acl.operation != "DescribeConfigs":
            (command,) = reasons["missing_right"]["commands"]
            assert f"--operation {acl.operation}" in command


def test_a_check_asks_for_the_copy_that_is_written(guarded: Guarded) -> None:
    """In the generation that it is in."""
    acl, b = guarded.acls["B A.t- Write"], guarded.pair.b
    key, value = CopyGeneration(flow="A->B", topic="t-grows", number=2).encode()
    write(b, "mm2-offsets.A.internal", [record(value, key=key)], partition=0)
    b.create_topic("A.t-grows.g2", partitions=2)
    revoke(b, acl)
    try:
        _, findings = _checked(guarded)
    finally:
        grant(b, acl)
    missing = "\n".join(line for each in findings for line in each.get("commands", ()))
    assert "--topic A.t-grows.g2" in missing
    assert "--topic A.t-grows " not in missing
