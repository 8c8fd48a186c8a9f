"""The table of keys, against MirrorMaker 2's own and against the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.docs import configuration_page
from kmirror.config.keys.key import Key, KeyType, Scope, ValueProblem, split_list
from kmirror.config.keys.table import CONNECTOR_NAMES, KEYS, is_secret_name

ROOT = Path(__file__).parents[3]

# MirrorSourceConfig, MirrorCheckpointConfig and MirrorHeartbeatConfig of Kafka 4.3.1, without
# security and plugin versions: what MM2's driver takes from the top level of the file.
MM2_CONNECTOR_NAMES = frozenset(
    """
    admin.timeout.ms checkpoints.topic.replication.factor config.action.reload
    config.properties.exclude config.property.filter.class connector.class
    consumer.poll.timeout.ms emit.checkpoints.enabled emit.checkpoints.interval.seconds
    emit.heartbeats.enabled emit.heartbeats.interval.seconds emit.offset-syncs.enabled enabled
    errors.log.enable errors.log.include.messages errors.retry.delay.max.ms errors.retry.timeout
    errors.tolerance forwarding.admin.class group.filter.class groups groups.exclude
    header.converter heartbeats.replication.enabled heartbeats.topic.replication.factor
    key.converter metric.names.formats metric.reporters name offset-syncs.topic.location
    offset-syncs.topic.replication.factor offset.lag.max predicates refresh.groups.enabled
    refresh.groups.interval.seconds refresh.topics.enabled refresh.topics.interval.seconds
    replication.factor replication.policy.class
    replication.policy.internal.topic.separator.enabled replication.policy.separator
    security.protocol source.cluster.alias sync.group.offsets.enabled
    sync.group.offsets.interval.seconds sync.topic.acls.enabled sync.topic.acls.interval.seconds
    sync.topic.configs.enabled sync.topic.configs.interval.seconds target.cluster.alias tasks.max
    tasks.max.enforce topic.filter.class topics topics.exclude transforms value.converter
    """.split()  # noqa: SIM905 - a wall of quotes is harder to compare with Kafka's listing
)
REMOVED_NAMES = {
    "add.source.alias.to.metrics",
    "auto.include.jmx.reporter",
    "config.properties.blacklist",
    "groups.blacklist",
    "topics.blacklist",
    "use.incremental.alter.configs",
}


def test_the_top_level_of_mm2_and_nothing_else_reaches_a_connector() -> None:
    ours = {name for name in CONNECTOR_NAMES if not name.startswith(("kmirror.", "ssl.", "sasl."))}
    assert ours == MM2_CONNECTOR_NAMES | REMOVED_NAMES


def test_the_documentation_is_current() -> None:
    """`python -m kmirror.config.docs > docs/configuration.md` writes it."""
    written = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert written == configuration_page()
    assert all(f"`{name}`" in written for name in KEYS)


def test_every_default_is_a_value_of_its_key() -> None:
    for key in KEYS.values():
        if key.default is None:
            continue
        default = key.default
        text = ",".join(default) if isinstance(default, tuple) else str(default).strip()
        assert key.parse(text) == default, key.name


@pytest.mark.parametrize(
    ("type_", "text", "value"),
    [
        (KeyType.BOOLEAN, " TRUE ", True),
        (KeyType.INT, "+5", 5),
        (KeyType.LONG, str(2**63 - 1), 2**63 - 1),
        (KeyType.DOUBLE, "0.5", 0.5),
        (KeyType.LIST, " a , b,a,, ", ("a", "b")),
        (KeyType.STRING, " a b ", "a b"),
    ],
)
def test_values_are_read_as_kafka_reads_them(type_: KeyType, text: str, value: object) -> None:
    assert Key(name="k", type=type_, doc="", scope=Scope.FLOW).parse(text) == value


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (KeyType.BOOLEAN, "1"),
        (KeyType.INT, "1_000"),
        (KeyType.INT, "1.0"),
        (KeyType.INT, str(2**31)),
        (KeyType.SHORT, "40000"),
        (KeyType.INT, "\u0661"),
        (KeyType.INT, "9" * 10_000),
        (KeyType.DOUBLE, "nan"),
        (KeyType.DOUBLE, "x"),
    ],
)
def test_what_is_no_value_is_refused(type_: KeyType, text: str) -> None:
    with pytest.raises(ValueProblem, match="expected"):
        Key(name="k", type=type_, doc="", scope=Scope.FLOW).parse(text)


def test_an_empty_list_is_empty() -> None:
    assert split_list("  ") == ()


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("ssl.keystore.password", True),
        ("A.b.producer.sasl.jaas.config", True),
        ("A.sasl.oauthbearer.token.endpoint.url", False),
        ("config.providers.v.param.token", True),
        ("A.consumer.x.Secret", True),
        ("A.consumer.client.id", False),
    ],
)
def test_names_tell_secrets(name: str, secret: bool) -> None:
    assert is_secret_name(name) is secret
