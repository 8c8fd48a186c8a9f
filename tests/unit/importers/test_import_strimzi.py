"""KafkaMirrorMaker2 resources of both layouts: the project's own examples."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from kmirror.errors import ConfigError
from kmirror.importers.options import ImportOptions
from kmirror.importers.outcome import Fate
from tests.support.imports import (
    DATA,
    data_files,
    fates_of,
    import_of,
    lines_of,
    outcome_of,
    text_files,
)

_EXAMPLES = sorted(path.name for path in (DATA / "strimzi").glob("*.yaml"))
_FLOW = "cluster-a->cluster-b"
_SMALL = """\
apiVersion: kafka.strimzi.io/v1
kind: KafkaMirrorMaker2
metadata: {name: m}
spec:
  target:
    alias: b
    bootstrapServers: b:9092
    config: {producer.linger.ms: 5, offset.flush.interval.ms: 10000, ssl.cipher.suites: X}
  mirrors:
    - source:
        alias: a
        bootstrapServers: a:9092
        config: {max.poll.records: 500}
      sourceConnector:
        state: paused
        autoRestart: {enabled: true}
        config:
          producer.override.batch.size: 1000
          source.cluster.sasl.jaas.config: "${secrets:ns/login:jaas}"
      heartbeatConnector: {}
"""


@pytest.mark.parametrize("name", _EXAMPLES)
def test_an_example_runs(name: str) -> None:
    """Everything in it is supported, and kmirror starts with what is written."""
    found = import_of("strimzi", data_files(f"strimzi/{name}"))
    assert found.complete
    assert found.problems == ()
    lines = lines_of(found)
    assert lines[f"{_FLOW}.enabled"] == "true"
    assert lines[f"{_FLOW}.topics"] == ".*"
    assert lines["cluster-a.bootstrap.servers"].startswith("cluster-a-kafka-bootstrap:909")


@pytest.mark.parametrize(
    "name", [name.removeprefix("v1-") for name in _EXAMPLES if name.startswith("v1-")]
)
def test_both_layouts_say_the_same(name: str) -> None:
    """The names of topics are the examples' own, and so are a few settings."""
    new, old = (
        lines_of(import_of("strimzi", data_files(f"strimzi/{layout}-{name}")))
        for layout in ("v1", "v1beta2")
    )
    assert old["cluster-b.offset.storage.topic"] == "mirrormaker2-cluster-offsets"
    differ = {key for key in new.keys() & old.keys() if new[key] != old[key]}
    assert differ == {"cluster-b.offset.storage.topic"}
    for key in new.keys() ^ old.keys():
        # One example lacks a connector in one layout; one has its offset syncs on the target.
        assert key.startswith(f"{_FLOW}."), key


def test_positions_are_found_again() -> None:
    """By the topic and the name under which Strimzi keeps them."""
    lines = lines_of(import_of("strimzi", data_files("strimzi/v1-kafka-mirror-maker-2.yaml")))
    assert lines["cluster-b.offset.storage.topic"] == "__my-mirror-maker-2-offset"
    assert lines[f"{_FLOW}.name"] == f"{_FLOW}.MirrorSourceConnector"


def test_certificates_and_passwords_are_read_from_folders() -> None:
    """A Secret is mounted as one; nothing of it is in the file or the report."""
    options = ImportOptions(secrets=PurePosixPath("/run/secrets"))
    found = import_of("strimzi", data_files("strimzi/v1-scram-sha-512-auth.yaml"), options)
    lines = lines_of(found)
    assert lines["cluster-a.security.protocol"] == "SASL_SSL"
    assert lines["cluster-a.ssl.truststore.certificates"] == (
        "${dir:/run/secrets/cluster-a-cluster-ca-cert:ca.crt}"
    )
    assert lines["cluster-a.sasl.jaas.config"] == (
        "org.apache.kafka.common.security.scram.ScramLoginModule required "
        'username="cluster-a-user" password="${dir:/run/secrets/cluster-a-user:password}";'
    )
    assert lines["config.providers.dir.param.allowed.paths"] == "/run/secrets"
    assert (
        "/run/secrets/cluster-a-user must be the Secret cluster-a-user, mounted there or copied"
        in found.remarks
    )
    tls = lines_of(import_of("strimzi", data_files("strimzi/v1beta2-tls-auth.yaml"), options))
    assert tls["cluster-b.security.protocol"] == "SSL"
    assert tls["cluster-b.ssl.keystore.key"] == "${dir:/run/secrets/cluster-b-user:user.key}"
    assert tls["cluster-b.ssl.keystore.type"] == "PEM"


def test_what_only_some_of_it_reads() -> None:
    """A target's `config` is the workers'; a source's reaches connections only."""
    found = import_of("strimzi", text_files(_SMALL))
    lines, fates = lines_of(found), fates_of(found)
    assert lines["b.producer.linger.ms"] == "5"
    assert fates["max.poll.records"] is Fate.EQUAL
    assert "a.consumer.max.poll.records" in outcome_of(found, "max.poll.records").says
    assert fates["offset.flush.interval.ms"] is Fate.DIFFERENT
    assert "kmirror pause a->b" in outcome_of(found, "sourceConnector.state").says
    assert lines["a->b.producer.override.batch.size"] == "1000"
    assert lines["a->b.emit.heartbeats.enabled"] == "true"
    assert lines["a->b.emit.checkpoints.enabled"] == "false"


def test_what_older_resources_have() -> None:
    """Fields of pods, and settings of workers where nobody reads them."""
    text = _SMALL.replace("  target:", "  affinity: {}\n  tolerations: []\n  target:").replace(
        "{max.poll.records: 500}", "{consumer.max.poll.records: 5, status.storage.partitions: 1}"
    )
    found = import_of("strimzi", text_files(text))
    assert found.complete
    assert "a.consumer.max.poll.records" in outcome_of(found, "consumer.max.poll.records").says
    assert outcome_of(found, "status.storage.partitions").says.endswith("left out")


def test_references_to_secrets_become_folders() -> None:
    """Kubernetes' own provider is a Java class."""
    found = import_of("strimzi", text_files(_SMALL))
    assert lines_of(found)["a.sasl.jaas.config"] == "${dir:/etc/kmirror/secrets/login:jaas}"


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("rack: {topologyKey: zone}", "a.consumer.client.rack = ZONE"),
        ("tracing: {type: opentelemetry}", "does not trace"),
        ("surprise: 1", "unknown to kmirror"),
    ],
)
def test_what_is_not_supported(field: str, words: str) -> None:
    """It is said with what to do instead."""
    found = import_of("strimzi", text_files(_SMALL.replace("  target:", f"  {field}\n  target:")))
    told = [each for each in found.outcomes if each.fate is Fate.UNSUPPORTED]
    assert [words in each.says for each in told] == [True]
    assert told[0].setting.where == "file0:5"


def test_oauth() -> None:
    """Client credentials are Kafka's own; what only Strimzi's class does is not."""
    login = (
        "authentication: {type: oauth, tokenEndpointUri: 'https://i/t', clientId: me, "
        "clientSecret: {secretName: s, key: k}, maxTokenExpirySeconds: 60}"
    )
    found = import_of(
        "strimzi", text_files(_SMALL.replace("alias: a\n", f"alias: a\n        {login}\n"))
    )
    lines = lines_of(found)
    assert lines["a.sasl.mechanism"] == "OAUTHBEARER"
    assert lines["a.security.protocol"] == "SASL_PLAINTEXT"
    secret = lines["a.sasl.oauthbearer.client.credentials.client.secret"]
    assert secret == "${dir:/etc/kmirror/secrets/s:k}"
    assert fates_of(found)["authentication.maxTokenExpirySeconds"] is Fate.UNSUPPORTED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kind: Kafka\n", "expected a KafkaMirrorMaker2"),
        ("kind: KafkaMirrorMaker2\n", "file0:1: spec: is missing"),
        ("kind: KafkaMirrorMaker2\nspec: {connectCluster: x}\n", "alias of one of `clusters`"),
        (_SMALL.replace("alias: a\n", "name: a\n"), "alias: is missing"),
        (_SMALL.partition("  mirrors:")[0], "at least one mirror"),
        (_SMALL.replace("      sourceC", "      targetCluster: z\n      sourceC"), "expected b"),
    ],
)
def test_resources_that_are_none(text: str, words: str) -> None:
    """They are refused with the line."""
    with pytest.raises(ConfigError) as caught:
        import_of("strimzi", text_files(text))
    assert words in str(caught.value)


def test_a_list_of_resources() -> None:
    """`kubectl get kmm2 -o json` gives one, as JSON or YAML."""
    indented = _SMALL.replace("\n", "\n    ").rstrip()
    found = import_of("strimzi", text_files(f"kind: List\nitems:\n  - {indented}\n"))
    assert lines_of(found)["a->b.enabled"] == "true"
