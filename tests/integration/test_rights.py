"""What `kmirror acls` prints is the least: each right that is taken away is missed by name."""

from __future__ import annotations

import json
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
from tests.support.acls import Acl, grant, printed, revoke
from tests.support.commands import check, explain, offsets, order
from tests.support.driver import DriverFactory
from tests.support.groups import commit
from tests.support.mirror_file import mirror_file
from tests.support.records import end_offset, numbered, write
from tests.support.topic_settings import change_settings

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

_MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule required"
_PASSWORD = "not-much-of-a-secret"
_TOLD_S_MAX = 40
_DENIED = "not authorized to"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """
    Rights that are taken away together, because one run can miss all of them.

    Args:
        taken: Cluster, name and operation, and the line that misses it.
        stop: The lines come at the driver's end.
        fills: A topic of B that has records at the end, which a later round has to read.
    """

    taken: dict[str, str]
    stop: bool = False
    fills: str = ""


# Creations come first: later nothing has to be created. The first driver never gets as far as
# mirroring, and the second mirrors t-grows alone, which is there on both clusters.
ROUNDS = (
    Round(
        taken={
            "B mm2-offsets.A.internal Create": f"waiting: .*{_DENIED} create topic mm2-offsets",
            "B heartbeats Create": f"no heartbeats to B: .*{_DENIED} create topic heartbeats",
        }
    ),
    Round(
        taken={
            "A t- DescribeConfigs": f"not mirrored: t-1: .*{_DENIED} read the settings of topic",
            "A mm2-offset-syncs.B.internal Create": f"{_DENIED} create topic mm2-offset-syncs",
            "B __kmirror-offsets-A-B Create": f"no exact offset map: .*{_DENIED} create topic __km",
            "B __kmirror-control-A-B Create": f"no orders .*{_DENIED} create topic __kmirror-contr",
            "B A.checkpoints.internal Create": f"checkpoints: .*{_DENIED} create topic A.checkp",
            "B __kmirror-groups-A-B Create": f"moved back .*{_DENIED} create topic __kmirror-gr",
        }
    ),
    Round(
        taken={
            "B A.checkpoints.internal Write": f"checkpoints: .*{_DENIED} write to topic A.checkp",
        }
    ),
    Round(
        taken={
            "B A.t- Create": f"not mirrored: t-3: .*{_DENIED} create topic A.t-3",
            "A mm2-offset-syncs.B.internal Write": f"{_DENIED} write to topic mm2-offset-syncs",
            "B heartbeats Write": f"no heartbeats to B: .*{_DENIED} write to topic heartbeats",
        },
        fills="__kmirror-groups-A-B",
    ),
    Round(
        taken={
            "B __kmirror-groups-A-B Write": f"moved back .*{_DENIED} write to topic __kmirror-gr",
            "B A.t- AlterConfigs": "WARNING.*(AlterConfigs|read the settings)",
            "B A.t- Alter": f"not mirrored: t-grows: .*{_DENIED} add partitions to topic A.t-grows",
        }
    ),
    Round(taken={"B g- Read": "WARNING .*group g-1 do not follow: .*uthoriz"}),
    Round(
        taken={"B __kmirror-groups-A-B Read": f"moved back .*{_DENIED} read __kmirror-groups-A-B"}
    ),
    Round(
        taken={
            "B __kmirror-offsets-A-B Read": f"offset map: .*{_DENIED} read __kmirror-off",
            "B __kmirror-control-A-B Read": f"no orders .*{_DENIED} read __kmirror-control-A-B",
        }
    ),
    Round(
        taken={
            "B __kmirror-offsets-A-B Write": r"repeated: .*Not authorized .*\[__kmirror-offsets-A-B"
        }
    ),
    Round(taken={"A t- Read": r"topics: nothing matches t-\.\*"}),
    Round(taken={"B A.t- Write": r"parked t-grows-0: target: Not authorized .*\[A\.t-grows\]"}),
    Round(taken={"B A.t- Read": f"waiting: .*{_DENIED} write positions .*A\\.t-.*uthoriz"}),
    Round(taken={"B __kmirror-A-B Read": f"waiting: .*{_DENIED} read .* group __kmirror-A-B"}),
    Round(taken={"B kmirror-A-B- Write": f"waiting: .*{_DENIED} claim flow .*Transactional Id"}),
    Round(taken={"B mm2-offsets.A.internal Read": f"waiting: .*{_DENIED}.*mm2-offsets"}),
    Round(
        taken={"B mm2-offsets.A.internal Write": f"WARNING.*{_DENIED} write to topic mm2-offsets"},
        stop=True,
    ),
)
_GROWS_IN, _BACK_IN, _ORDERED_IN = 4, 6, 7
# Kafka hides what may not be described: nobody can say what it is that is not there.
HIDDEN = "A g- Describe"
# Only who orders something writes it; the driver answers orders alone.
ORDERING = "B __kmirror-control-A-B Write"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """Two clusters with an authorizer, a file, and what it needs, by short names."""

    pair: ClusterPair
    file: Path
    acls: dict[str, Acl]

    def cluster(self, acl: Acl) -> Cluster:
        """Give the cluster of an ACL."""
        return self.pair.a if acl.cluster == "A" else self.pair.b


def _cluster(name: str, folder: Path) -> Cluster:
    return Cluster(
        name,
        folder,
        listeners={"LOGIN": "SASL_PLAINTEXT"},
        config={
            "sasl.enabled.mechanisms": "PLAIN",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            # Whoever comes in without a password is the test.
            "super.users": "User:ANONYMOUS",
            "listener.name.login.plain.sasl.jaas.config": f'{_MODULE} user_mirror="{_PASSWORD}";',
        },
    )


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Start both clusters and grant what the file needs."""
    folder = tmp_path_factory.mktemp("guarded")
    pair = ClusterPair(_cluster("A", folder), _cluster("B", folder))
    file = mirror_file(
        folder,
        {alias: each.bootstrap_of("LOGIN") for alias, each in zip("AB", pair, strict=True)},
        "security.protocol = SASL_PLAINTEXT",
        "sasl.mechanism = PLAIN",
        f'sasl.jaas.config = {_MODULE} username="mirror" password="{_PASSWORD}";',
        "A->B.enabled = true",
        "A->B.topics = t-.*",
        "A->B.groups = g-.*",
        "A->B.sync.group.offsets.enabled = true",
        "A->B.emit.heartbeats.enabled = true",
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
    assert sorted([*taken, HIDDEN, ORDERING]) == sorted(guarded.acls)


def _news(guarded: Guarded, number: int) -> None:
    """Let there be a new topic, a new partition of an old one, and a group that has moved."""
    a, admin = guarded.pair.a, guarded.pair.a.admin()
    for topic in (f"t-{number}", "t-grows"):
        if topic not in admin.list_topics(timeout=10).topics:
            a.create_topic(topic, partitions=1)
        write(a, topic, numbered(f"{topic}-{number}", range(10)), partition=0)
    if number == _GROWS_IN:
        change_settings(a, "t-grows", {"retention.ms": "87654321"})
        admin.create_partitions([NewPartitions("t-grows", 2)])["t-grows"].result(_TOLD_S_MAX)
    if number == _ORDERED_IN:
        answer = order("resume", guarded.file, "A->B")
        assert _DENIED not in answer.text
    at = 1 if number == _BACK_IN else number + 2
    commit(a, "g-1", {TopicPartition("t-grows", 0): at})


@pytest.mark.parametrize("number", range(len(ROUNDS)))
def test_a_right_is_missed_by_name(
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
