"""Whatever is posted as a connector's settings is judged; nothing makes the judge fail."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kmirror.config.connector import Kind
from kmirror.config.connectors import build_flows
from kmirror.config.keys.table import KEYS
from kmirror.config.keys.transforms import PREDICATES, TRANSFORMS
from kmirror.config.worker import WorkerConfig
from kmirror.connect.definitions import connector_settings
from kmirror.connect.validation import errors_of, validate
from kmirror.errors import BadRequest
from tests.support.connect_files import connector, worker

NAMES = sorted(
    {each.definition.name for kind in Kind for each in connector_settings(kind)}
    | set(KEYS)
    | {
        *("clusters", "A.bootstrap.servers", "A->B.enabled", "A->B.topics", "B->A.enabled", "->"),
        *("source.cluster.bootstrap.servers", "target.cluster.sasl.jaas.config", "", ".", "A->"),
        *("producer.override.linger.ms", "producer.override.", "admin.override.x", "A->A.enabled"),
        *("source.consumer.max.poll.records", "target.admin.ssl.keystore.location", "consumer."),
        *("transforms.t.type", "transforms.t.regex", "transforms.t.replacement"),
        *("transforms.t.predicate", "transforms.t.negate", "transforms.t.headers", "transforms.."),
        *("transforms.t.topic.format", "predicates.p.type", "predicates.p.pattern"),
        *("predicates.p.name", "topic.creation.groups", "key.converter.schemas.enable"),
    }
)
TEXTS = (
    *("", " ", "t", "p", "t, t", ",", "true", "false", "0", "-1", "7", "99999999999", "1e9", "nan"),
    *("A", "B", "A, B", "A,A", "a:1", "(", "(a)+", "$1", "${env:X}", "${x", "\\", "'", "\n", "\0"),
    *("a\ud800", "٣", "->", "required", "REQUIRED", "connector", "delete-after=1d", "Mon 1-2"),
    *(each.class_name for each in Kind),
    *(f"org.apache.kafka.connect.transforms.{name}" for name in sorted(TRANSFORMS)),
    *(f"org.apache.kafka.connect.transforms.predicates.{name}" for name in PREDICATES),
    *(
        "org.apache.kafka.connect.converters.ByteArrayConverter",
        "JsonConverter",
        "java.lang.String",
    ),
)
CONFIGS = st.dictionaries(
    st.sampled_from(NAMES) | st.text(max_size=8),
    st.sampled_from(TEXTS) | st.text(max_size=12),
    max_size=8,
)


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> WorkerConfig:
    """Give a worker's file."""
    return worker(tmp_path_factory.mktemp("worker"))


@settings(max_examples=500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(posted=CONFIGS, kind=st.sampled_from(Kind), based=st.booleans())
def test_any_settings_are_judged(
    config: WorkerConfig, posted: dict[str, str], kind: Kind, based: bool
) -> None:
    """They make flows, or are refused with reasons; a validation finds no less than that."""
    whole = {**(connector(kind.class_name) if based else {}), **posted}
    found = build_flows({"n": whole, "other": connector()}, config)
    assert "n" not in found.refused or found.refused["n"]
    for problem in found.refused.get("n", ()):
        str(problem)
    try:
        named = {**whole, "name": "n"}
        checked = validate(kind.class_name, named, config, {"other": connector()})
    except BadRequest:
        return
    if "n" in found.refused and not found.of("n"):
        assert errors_of(checked), (posted, found.refused["n"])


@settings(max_examples=200, deadline=None)
@given(
    posted=st.dictionaries(st.sampled_from(NAMES), st.none() | st.sampled_from(TEXTS), max_size=6)
)
def test_nulls_are_judged(config: WorkerConfig, posted: dict[str, str | None]) -> None:
    """JSON's null is no value, and no reason to fail."""
    whole: dict[str, str | None] = {**connector(), "name": "n", **posted}
    try:
        validate(str(whole["connector.class"]), whole, config)
    except BadRequest:
        return
