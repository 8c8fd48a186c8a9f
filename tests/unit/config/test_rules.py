"""What joins several keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kmirror.config.load import read_lines
from kmirror.errors import ConfigError
from kmirror.model import Flow
from kmirror.wire.flow_names import offset_map_topic, owner_transactional_id, position_group
from tests.support.mirror_files import Load

IDENTITY = "replication.policy.class = IdentityReplicationPolicy\n"
BOTH = "B->A.enabled = true\n"


@pytest.mark.parametrize(
    "more",
    [
        "",
        "topics = a, b\n",
        "A->B.topics = a, b\nB->A.topics = b, c\n",
        "A->B.topics = a\nB->A.topics = .*\n",
        "A->B.topics = a.b\nB->A.topics = a-b\n",
    ],
)
def test_identity_names_in_a_circle_are_refused(load_text: Load, more: str) -> None:
    with pytest.raises(ConfigError, match="round and round"):
        load_text(IDENTITY + BOTH + more)


@pytest.mark.parametrize(
    "more",
    [
        "A->B.topics = a\nB->A.topics = b\n",
        "A->B.topics = a\nB->A.topics = .*\nB->A.topics.exclude = a\n",
        "B->A.replication.policy.class = DefaultReplicationPolicy\n",
    ],
)
def test_identity_names_without_a_circle_are_fine(load_text: Load, more: str) -> None:
    assert len(load_text(IDENTITY + BOTH + more).flows) == 2


def test_a_circle_of_three_is_found_once(load_text: Load) -> None:
    base = "clusters=A,B,C\n" + "".join(f"{alias}.bootstrap.servers=h:1\n" for alias in "ABC")
    flows = "A->B.enabled=true\nB->C.enabled=true\nC->A.enabled=true\n"
    with pytest.raises(ConfigError) as caught:
        load_text(IDENTITY + flows, base=base)
    (problem,) = caught.value.problems
    assert "A->B, B->C, C->A" in problem.expected


def test_two_flows_of_the_same_names_on_one_cluster_are_refused(load_text: Load) -> None:
    """They would fence each other for ever; with clusters of their own they do not meet."""
    text = "clusters = us, us-east, east-dr, dr\n"
    text += "".join(f"{alias}.bootstrap.servers = {alias}:1\n" for alias in ("us", "us-east", "dr"))
    text += "us->east-dr.enabled = true\nus-east->dr.enabled = true\n"
    config = load_text("east-dr.bootstrap.servers = east-dr:1\n", base=text)
    assert len(config.flows) == 2
    for clusters in ((), ("dr",)):
        with pytest.raises(ConfigError, match=r":1: clusters.*us->east-dr and us-east->dr would"):
            load_text("east-dr.bootstrap.servers = x:1, dr:1\n", base=text, clusters=clusters)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("transforms = mask", "the class of a transform"),
        ("A->B.transforms = t\nA->B.transforms.t.type = MaskField$Value", "works on fields"),
        ("emit.offset-syncs.enabled=false\noffset-syncs.topic.location=target", "conflicts with"),
        ("kmirror.spark.speculation = true", "expected false"),
        ("replication.policy.separator =", "letters, digits"),
        ("replication.factor = 0", "from 1 to 32767, or -1"),
        ("topic.filter.class = com.x.Filter", "DefaultTopicFilter"),
        ("A->B.source.consumer.auto.offset.reset = none", "one of earliest, latest"),
        ("A.consumer.isolation.level = x", "one of read_committed, read_uncommitted"),
        ("B.producer.request.timeout.ms = soon", "whole number"),
        ("A.bootstrap.servers = a", "host:port"),
        ("A.bootstrap.servers = a:99999", "host:port"),
        ("A->A.enabled = true", "two different clusters"),
        ("A->X.enabled = true", "not there: X"),
        ("topics = a(?!b).*", "a negative look-ahead, (?!, cannot be matched in linear time"),
        ("groups.exclude = a,(b)\\\\1,c", "regex 2 of 3: a back reference, \\1,"),
        ("A.kmirror.alias.orders = a++", "a possessive quantifier, ++,"),
        ("tasks.max = 99999999999", "32 bits"),
        ("A->B.source.cluster.alias =", "expected A"),
        ("security.protocol = TLS", "SASL_SSL"),
        ("kmirror.commit.interval.ms = 40000", "half of the producer's transaction.timeout.ms"),
        (
            "B.producer.transaction.timeout.ms = 8000\nkmirror.commit.interval.ms = 5000",
            "transaction.timeout.ms, 8000",
        ),
        (
            "B.producer.batch.size = 2000000\nB.producer.buffer.memory = 1000000",
            "no more than buffer.memory, which is 1000000",
        ),
    ],
)
def test_it_is_a_problem(load_text: Load, more: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_text(more)
    assert expected in "\n".join(problem.expected for problem in caught.value.problems)


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        ("clusters=A,B\nA->B.enabled=true\nA.bootstrap.servers=a:1\n", "B.bootstrap.servers"),
        ("clusters=A,B\nA.bootstrap.servers=a:1\nB.bootstrap.servers=a:1\n", "No source->target"),
        ("clusters=A,b->c\nA.bootstrap.servers=a:1\n", "not b->c"),
        ("clusters=\n", "at least one"),
    ],
)
def test_what_a_file_must_have(load_text: Load, base: str, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_text(base=base)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("topcis = a", "did you mean topics?"),
        ("A->B.replicaton.factor = 1", "did you mean A->B.replication.factor?"),
        ("A.consumer.max.pol.records = 1", "did you mean A.consumer.max.poll.records?"),
        ("A.max.poll.records = 1", "A.consumer.max.poll.records"),
        ("producer.acks = 1", "write B.producer.acks"),
        ("exactly.once.source.support = enabled", "T.exactly.once.source.support"),
        ("A.topics = a", "S->T.topics"),
        ("A->B.bootstrap.servers = a:1", "A.bootstrap.servers or B.bootstrap.servers"),
        ("A->B.clusters = A", "top level"),
        ("A -> B.topics = a", "no blanks around ->"),
        ("AA.bootstrap.servers = a:1", "AA is not in `clusters`"),
        ("B->A.topics = a", "off until B->A.enabled = true"),
        ("topics = a,a", "counts once"),
        ("topics = a,,b", "empty part"),
        ("key.converter = StringConverter", "not applied"),
        ("emit.offset-syncs.enabled = false", "no checkpoints"),
        ("A.consumer.isolation.level = read_uncommitted", "aborted transactions"),
        ("B.producer.acks = 1", "acks is always all"),
        ("B.producer.max.in.flight.requests.per.connection = 9", "order of records"),
        ("B.producer.delivery.timeout.ms = 500", "raised to 30005"),
        (
            "B.producer.delivery.timeout.ms = 40000\nB.producer.request.timeout.ms = 60000",
            "raised to 60005",
        ),
        ("A.admin.request.timeout.ms = 500", "raised to 5000"),
        ("kmirror.spark.master = spark://h:7077", "kmirror run --master"),
        ("A.consumer.group.id = g", "kmirror keeps positions on the target"),
    ],
)
def test_it_is_a_warning(load_text: Load, more: str, expected: str) -> None:
    warnings = "\n".join(map(str, load_text(more).warnings))
    assert expected in warnings


@pytest.mark.parametrize(
    "more",
    [
        "B.producer.acks = all",
        "B.producer.enable.idempotence = true",
        "A.consumer.enable.auto.commit = false",
        "B.producer.max.in.flight.requests.per.connection = 1",
        "B.producer.compression.type = zstd",
        "replication.factor = -1",
        "topics =",
        "sync.topic.acls.interval.seconds = -1",
        "A->B.source.cluster.alias = A",
        "key.converter = org.apache.kafka.connect.converters.ByteArrayConverter",
        "A->B.emit.heartbeats.enabled = false\nB->A.emit.heartbeats.enabled = false",
        "B.exactly.once.source.support = enabled",
    ],
)
def test_it_is_nothing_to_speak_of(load_text: Load, more: str) -> None:
    assert not load_text(more).warnings


def test_inactive_keys_are_named_once_and_only_if_present(load_text: Load) -> None:
    assert not load_text().inactive_keys
    lines = "forwarding.admin.class=a\nA->B.forwarding.admin.class=a\nmetric.reporters=a"
    config = load_text(lines)
    assert config.inactive_keys == ("forwarding.admin.class", "metric.reporters")


def test_heartbeats_are_written_between_all_clusters(load_text: Load) -> None:
    """Also where no records flow, unless that is switched off."""
    flows = [str(each.flow) for each in load_text().heartbeats]
    assert flows == ["A->B", "B->A"]
    config = load_text("B->A.emit.heartbeats.enabled=false\nemit.heartbeats.interval.seconds=3")
    assert [(str(each.flow), each.interval_s) for each in config.heartbeats] == [("A->B", 3.0)]
    assert not load_text("emit.heartbeats.interval.seconds=-1").heartbeats


def test_what_consumers_need(load_text: Load) -> None:
    """Off where the file says so; checkpoints need offset syncs, as in MM2."""
    consumers = load_text().flows[0].consumers
    assert consumers.follows_groups
    assert consumers.sync_group_offsets_interval_s is None
    off = load_text("emit.offset-syncs.enabled=false").flows[0].consumers
    assert not off.follows_groups
    synced = load_text("sync.group.offsets.enabled=true\ngroups=a.*").flows[0].consumers
    assert synced.sync_group_offsets_interval_s == 1.0
    assert synced.group_filter().allows("ab")


@pytest.mark.parametrize(
    ("more", "lines"),
    [
        ("A->B.enabled = yes", [(5, "A->B.enabled")]),
        ("A->C.enabled = true", [(5, "A->C.enabled")]),
        ("enabled = 1", [(5, "enabled")]),
        ("A->B.topics = a", [(2, "A->B.enabled")]),
    ],
)
def test_what_is_wrong_with_a_switch_is_said_once(
    load_text: Load, more: str, lines: list[tuple[int, str]]
) -> None:
    """That no flow runs follows from it, and is not said where that is the only reason."""
    base = "# no flow\nclusters=A,B\nA.bootstrap.servers=a:1\nB.bootstrap.servers=b:1\n"
    with pytest.raises(ConfigError) as caught:
        load_text(more, base=base)
    assert _places(caught.value) == lines
    path = Path(caught.value.problems[0].where.rpartition(":")[0])
    with pytest.raises(ConfigError) as caught:
        read_lines(path, environ={})
    # `read_lines` takes what kmirror refuses and MirrorMaker 2 does not; a stray flow is no flow.
    assert _places(caught.value) in (lines, [(2, "A->B.enabled")])


@pytest.mark.parametrize(
    ("more", "place"),
    [
        ("A.security.protocol = SASL_SSL\n", (5, "A.sasl.mechanism")),
        (
            "B.sasl.mechanism = GSSAPI\nB.security.protocol = SASL_PLAINTEXT\n",
            (5, "B.sasl.mechanism"),
        ),
        ("sasl.mechanism = AWS_MSK_IAM\nsecurity.protocol = SASL_SSL\n", (5, "sasl.mechanism")),
        (
            "clusters = A, B, C\nC.bootstrap.servers = c:1\nC.security.protocol = SASL_SSL\n",
            (7, "C.sasl.mechanism"),
        ),
    ],
)
def test_a_login_that_is_not_possible_is_refused_at_once(
    load_text: Load, more: str, place: tuple[int, str]
) -> None:
    """Kerberos above all, which is Kafka's default; also for a cluster that has heartbeats only."""
    with pytest.raises(ConfigError, match="is not possible for the admin clients") as caught:
        load_text(more)
    assert _places(caught.value) == [place]


def test_the_control_plane_may_have_a_listener_of_its_own(load_text: Load) -> None:
    """Then the lanes may log in as Kafka's clients can."""
    flow = load_text(
        "A.security.protocol = SASL_PLAINTEXT\nA.sasl.kerberos.service.name = kafka\n"
        "A.admin.security.protocol = SSL\nA.admin.bootstrap.servers = a:9093\n"
    ).flow(Flow("A", "B"))
    assert flow.source_consumer["security.protocol"] == "SASL_PLAINTEXT"
    assert flow.source_admin["bootstrap.servers"] == "a:9093"


@pytest.mark.parametrize("alias", ["A", "B"])
def test_a_missing_address_is_reported_with_a_line(load_text: Load, alias: str) -> None:
    """Of the line that asks for it."""
    base = f"\nclusters = A, B\nA->B.enabled = true\n{alias}.bootstrap.servers = {alias}:1\n"
    with pytest.raises(ConfigError) as caught:
        load_text(base=base)
    other = {"A": "B", "B": "A"}[alias]
    assert _places(caught.value) == [(2, f"{other}.bootstrap.servers")]


def _places(error: ConfigError) -> list[tuple[int, str]]:
    found = [(int(each.where.rpartition(":")[2]), each.key) for each in error.problems]
    return sorted(found)


ODD_TARGET = "Z\u00fcrich/2 (new)"
ODD_TARGET_FILE = f"""\
clusters = A, {ODD_TARGET}
A.bootstrap.servers = a:1
{ODD_TARGET.replace(" ", chr(92) + " ")}.bootstrap.servers = b:1
"""


def test_a_target_may_be_called_anything(load_text: Load) -> None:
    """What is named after it has a legal name, or is left out with a warning."""
    flow = Flow("A", ODD_TARGET)
    switch = f"{flow}.".replace(" ", "\\ ")
    config = load_text(f"{switch}enabled = true\n", base=ODD_TARGET_FILE)
    assert [each.flow for each in config.flows] == [flow]
    assert not config.flow(flow).consumers.emit_offset_syncs
    assert "writes no offset syncs" in " ".join(map(str, config.warnings))
    for name in (offset_map_topic(flow), position_group(flow), owner_transactional_id(flow)):
        assert re.fullmatch(r"[A-Za-z0-9._-]{1,249}", name)
    located = f"{switch}offset-syncs.topic.location = target\n"
    config = load_text(f"{switch}enabled = true\n{located}", base=ODD_TARGET_FILE)
    assert config.flow(flow).consumers.emit_offset_syncs
    assert not config.warnings


@pytest.mark.parametrize("more", ["", "replication.policy.class = IdentityReplicationPolicy\n"])
def test_a_source_may_not(load_text: Load, more: str) -> None:
    """Its alias is in the names of copies, or of the topics that say how far they are."""
    switch = f"{ODD_TARGET}->A.".replace(" ", "\\ ")
    with pytest.raises(ConfigError) as caught:
        load_text(f"{switch}enabled = true\n{more}", base=ODD_TARGET_FILE)
    (problem,) = caught.value.problems
    assert (problem.where[-2:], problem.key) == (":1", "clusters")
    assert f"not {ODD_TARGET}" in problem.expected


def test_a_separator_inside_an_alias_is_a_warning(load_text: Load) -> None:
    base = (
        "clusters=a-1,b\na-1.bootstrap.servers=h:1\nb.bootstrap.servers=h:1\na-1->b.enabled=true\n"
    )
    assert not load_text(base=base).warnings
    (warning,) = load_text("replication.policy.separator=-\n", base=base).warnings
    assert "loops are not detected" in warning.expected
