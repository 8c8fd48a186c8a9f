"""What is said of a client's settings is what Kafka's own clients say."""

from __future__ import annotations

from typing import Any

import pytest

from kmirror.config.client_settings import ROLES, SETTINGS_OF_ROLE, TABLE
from kmirror.config.keys.key import KeyType, ValueProblem
from kmirror.ends.clients import lane_producer
from kmirror.errors import ConfigError
from kmirror.model import Flow
from kmirror.pipeline.client_settings import client_settings, config_def
from tests.support.mirror_files import Load

AB = Flow("A", "B")
TEXTS = (
    *("", " ", "many", "-2", "-1", "0", "1", " 7 ", "+5", "5.5", "1e3", "0.6f", "1_000", "\u00a05"),
    *("true", " TRUE ", "yes", "32767", "32768", "2147483647", "2147483648"),
    *("9223372036854775807", "9223372036854775808", "gzip", "GZIP", "gzip ", "zipp", "all"),
    *(
        "https",
        "PLAINTEXT",
        "plaintext",
        "Plaintext ",
        "read_committed",
        "a,,b",
        "a, a",
        ",",
        "x y",
    ),
)


def test_the_table_is_that_of_the_pinned_clients(jvm: Any) -> None:
    """`python -m kmirror.pipeline.client_settings` writes it."""
    assert TABLE.read_text(encoding="utf-8") == client_settings(jvm)


@pytest.mark.parametrize("role", ROLES)
def test_every_value_is_judged_as_kafka_does(jvm: Any, role: str) -> None:
    """Classes apart, which only the JVM that has them can judge; servers need more than Kafka's."""
    settings = {
        name: key
        for name, key in SETTINGS_OF_ROLE[role].items()
        if key.type is not KeyType.CLASS and key.check is None and name != "bootstrap.servers"
    }
    definition = config_def(jvm, role)
    for text in TEXTS:
        read: dict[str, str] = {}
        refused: set[str] = set()
        for name, key in settings.items():
            try:
                key.parse(text)
            except ValueProblem:
                refused.add(name)
                read[name] = text
            else:
                read[name] = key.as_clients_read(text)
        kafka_refuses = _refused_by(jvm, definition, read) & settings.keys()
        # An empty id says nothing; kmirror applies none of these.
        kafka_refuses -= {"transactional.id", "group.instance.id"}
        assert kafka_refuses == refused, repr(text)


def _refused_by(jvm: Any, definition: Any, values: dict[str, str]) -> set[str]:
    given = jvm.java.util.HashMap()
    for name, text in values.items():
        given.put(name, text)
    return {str(value.name()) for value in definition.validate(given) if value.errorMessages()}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("B.producer.batch.size = many", "expected a whole number of at least 0"),
        ("B.producer.compression.type = zipp", "expected one of gzip, lz4, none, snappy, zstd"),
        ("B.producer.compression.zstd.level = 23", "from -131072 to 22"),
        ("B.producer.compression.gzip.level = 0", "from 1 to 9, or -1"),
        ("A.consumer.fetch.max.bytes = -1", "of at least 0"),
        ("A.consumer.check.crcs = perhaps", "expected true or false"),
        ("A.consumer.max.poll.records = 2147483648", "32 bits"),
        ("A.consumer.interceptor.classes = a b", "name of a Java class"),
        ("A.admin.retries = -1", "from 0 to 2147483647"),
        ("A->B.admin.request.timeout.ms = soon", "expected a whole number"),
        ("A->B.consumer.fetch.max.wait.ms = x", "expected a whole number"),
        ("A->B.source.consumer.fetch.min.bytes = x", "expected a whole number"),
        ("A->B.source.admin.retry.backoff.ms = x", "expected a whole number"),
        ("A->B.target.admin.retry.backoff.ms = x", "expected a whole number"),
        ("A->B.target.consumer.fetch.max.wait.ms = x", "expected a whole number"),
        ("A->B.target.producer.linger.ms = x", "expected a whole number"),
        ("A->B.producer.override.linger.ms = -5", "of at least 0"),
        ("sasl.login.refresh.window.factor = 2", "from 0.5 to 1.0"),
        ("A.ssl.engine.factory.class = no class", "name of a Java class"),
        ("B.producer.acks = 2", "expected one of -1, 0, 1, all"),
    ],
)
def test_a_wrong_value_is_told_with_its_line(load_text: Load, line: str, expected: str) -> None:
    """Once, wherever in the file it stands, whether or not it would be applied."""
    with pytest.raises(ConfigError) as caught:
        load_text(line)
    (problem,) = caught.value.problems
    assert problem.where.endswith(":5")
    assert expected in problem.expected


@pytest.mark.parametrize(
    ("role", "line", "name", "value"),
    [
        ("producer", "B.producer.compression.type = zstd\\u0020", "compression.type", "zstd"),
        ("producer", "B.producer.linger.ms = 7\\u0020", "linger.ms", "7"),
        ("consumer", "A.consumer.metric.reporters = a.B,, a.B", "metric.reporters", "a.B"),
        ("consumer", "A.consumer.client.rack = r\\u0020", "client.rack", "r "),
    ],
)
def test_clients_get_what_they_can_read(
    load_text: Load, role: str, line: str, name: str, value: str
) -> None:
    flow = load_text(line).flow(AB)
    client = flow.target_producer if role == "producer" else flow.source_consumer
    assert client[name] == value


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("B.producer.max.block.ms = 0", "max.block.ms", "5000"),
        ("B.producer.transaction.timeout.ms = -1", "transaction.timeout.ms", "5000"),
        ("B.producer.linger.ms = 9223372036854775807", "linger.ms", "9223372036854775807"),
        (
            "B.producer.socket.connection.setup.timeout.ms = -1",
            "socket.connection.setup.timeout.ms",
            "1000",
        ),
    ],
)
def test_time_outs_too_short_for_an_answer_are_raised(
    load_text: Load, line: str, name: str, value: str
) -> None:
    assert load_text(line).flow(AB).target_producer[name] == value


def test_warnings_stand_beside_problems(load_text: Load) -> None:
    """The reference that nobody expands is why the login cannot be read."""
    lines = (
        "A.security.protocol = SASL_PLAINTEXT",
        "A.sasl.mechanism = PLAIN",
        "A.sasl.jaas.config = ${env:LOGIN}",
        "topics.exlude = x",
    )
    with pytest.raises(ConfigError) as caught:
        load_text("\n".join(lines))
    told = str(caught.value)
    assert told.count("\n") == 4
    assert "1 problem in the configuration:" in told
    assert "and 2 warnings:" in told
    assert "config.providers does not name env" in told
    assert "did you mean topics.exclude?" in told


def test_a_small_buffer_makes_small_batches(load_text: Load) -> None:
    """Kafka's producer asks its buffer for a whole batch, and fails when that is larger."""
    config = load_text("B.producer.buffer.memory = 100000").flow(AB)
    assert lane_producer(config)["batch.size"] == "100000"
    assert lane_producer(load_text().flow(AB))["batch.size"] == "524288"


def test_a_time_out_of_calls_is_not_below_that_of_requests(load_text: Load) -> None:
    """Kafka's admin client does not start then; the request's is raised first."""
    config = load_text("B.admin.request.timeout.ms = 100\nB.admin.default.api.timeout.ms = 100")
    assert config.flow(AB).target_admin["default.api.timeout.ms"] == "5000"
    assert [warning.where[-2:] for warning in config.warnings] == [":5", ":6"]


@pytest.mark.parametrize(
    "line",
    [
        "A.consumer.delivery.timeout.ms = 2min",
        "A.consumer.transaction.timeout.ms = 60000L",
        "A.consumer.max.block.ms =",
        "A.admin.max.block.ms =",
        "B.admin.delivery.timeout.ms = 1",
    ],
)
def test_a_time_out_of_another_client_is_passed_on(load_text: Load, line: str) -> None:
    """Whatever it says: the client ignores it, as MirrorMaker 2's do."""
    (warning,) = load_text(line).warnings
    assert "unknown to Kafka's clients, passed on" in warning.expected
