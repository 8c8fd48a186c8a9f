"""What `kmirror mm1` makes of MirrorMaker 1's command line and its two files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kmirror.errors import ConfigError
from kmirror.mm1.config import CommandProblem, Mm1Command, Mm1Config, read_command

_READS = ("bootstrap.servers=main:9092", "group.id=mirror", "auto.offset.reset=earliest")
_WRITES = ("bootstrap.servers=dr:9092",)


@pytest.fixture
def command(tmp_path: Path) -> Mm1Command:
    """Give a command line whose files have nothing unsafe."""
    return _command(tmp_path)


def _command(
    folder: Path, consumer: tuple[str, ...] = (), producer: tuple[str, ...] = ()
) -> Mm1Command:
    reads, writes = folder / "consumer.properties", folder / "producer.properties"
    reads.write_text("\n".join((*_READS, *consumer)), encoding="utf-8")
    writes.write_text("\n".join((*_WRITES, *producer)), encoding="utf-8")
    return Mm1Command(consumer=reads, producer=writes, include="orders")


def _warned(config: Mm1Config) -> list[str]:
    return [f"{each.key}={each.value}: {each.expected}" for each in config.warnings]


def test_safe_by_default(command: Mm1Command) -> None:
    """With nothing but addresses and a group nothing is lost or changes places."""
    config = read_command(command)
    assert not config.warnings
    assert (config.group, config.topics, config.streams) == ("mirror", "orders", 1)
    assert (config.commit_interval_ms, config.abort_on_send_failure) == (60_000, True)
    assert config.consumer["enable.auto.commit"] == "false"
    assert {
        name: config.producer[name] for name in config.producer if name != "bootstrap.servers"
    } == {
        "acks": "all",
        "delivery.timeout.ms": "2147483647",
        "max.block.ms": "9223372036854775807",
        "max.in.flight.requests.per.connection": "1",
    }


@pytest.mark.parametrize(
    ("role", "line"),
    [
        ("producer", "acks=1"),
        ("producer", "max.in.flight.requests.per.connection=5"),
        ("producer", "delivery.timeout.ms=120000"),
        ("producer", "max.block.ms=60000"),
        ("producer", "retries=3"),
        ("producer", "enable.idempotence=false"),
        ("consumer", "enable.auto.commit=true"),
    ],
)
def test_what_is_unsafe_is_warned_of(tmp_path: Path, role: str, line: str) -> None:
    """And applied, as MirrorMaker 1 does."""
    lines = {"consumer": (), "producer": (), role: (line,)}
    config = read_command(_command(tmp_path, **lines))
    name, _, value = line.partition("=")
    assert getattr(config, role)[name] == value
    (warning,) = config.warnings
    assert warning.key == name
    assert "data loss or message reordering is possible" in warning.expected
    assert f"overridden to {value}" in warning.expected


@pytest.mark.parametrize(
    "lines",
    [
        ("acks=-1",),
        ("retries=2147483647",),
        ("enable.idempotence=true", "max.in.flight.requests.per.connection=5"),
    ],
)
def test_what_is_as_safe_is_not(tmp_path: Path, lines: tuple[str, ...]) -> None:
    """Idempotence keeps the order of up to five requests."""
    assert not read_command(_command(tmp_path, producer=lines)).warnings


def test_records_may_be_missed_at_the_beginning(command: Mm1Command) -> None:
    """Kafka's default is the end of a partition; so is MirrorMaker 1's."""
    assert command.consumer is not None
    command.consumer.write_text("\n".join(_READS[:2]), encoding="utf-8")
    (warning,) = read_command(command).warnings
    assert warning.key == "auto.offset.reset"
    assert "earliest copies all" in warning.expected


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ({"consumer": None}, 'Missing required argument "[consumer.config]"'),
        ({"producer": None}, 'Missing required argument "[producer.config]"'),
        ({"include": None}, "whitelist must be specified"),
        ({"include": "''"}, "whitelist must be specified"),
    ],
)
def test_what_is_missing(command: Mm1Command, missing: dict[str, None], words: str) -> None:
    """In MirrorMaker 1's own words."""
    with pytest.raises(CommandProblem, match="^" + words.replace("[", r"\[")):
        read_command(replace(command, **missing))


def test_a_whitelist_is_read_as_it_was(command: Mm1Command) -> None:
    """Commas are alternatives, blanks and quotes of a properties file are nothing."""
    config = read_command(replace(command, include=' "orders, pay.*" '))
    assert config.topics == "orders|pay.*"


def test_classes_of_their_own(tmp_path: Path) -> None:
    """Each is refused at its place, with the reason."""
    command = _command(
        tmp_path,
        consumer=("interceptor.classes=com.example.Audit", "key.deserializer=com.example.Avro"),
        producer=("partitioner.class=com.example.Spread",),
    )
    refused = (("message.handler", "com.example.Handler"), ("rebalance.listener", "com.example.L"))
    with pytest.raises(ConfigError) as caught:
        read_command(replace(command, refused=refused))
    found = {(each.where.rpartition("/")[2], each.key) for each in caught.value.problems}
    assert found == {
        ("the command line", "--message.handler"),
        ("the command line", "--rebalance.listener"),
        ("consumer.properties:4", "interceptor.classes"),
        ("producer.properties:2", "partitioner.class"),
    }
    assert all("loads no Java classes of others" in p.expected for p in caught.value.problems)
    assert [each.key for each in caught.value.warnings] == ["key.deserializer"]


def test_kafkas_own_classes(tmp_path: Path) -> None:
    """They are there."""
    name = "org.apache.kafka.clients.consumer.RoundRobinAssignor"
    config = read_command(_command(tmp_path, consumer=(f"partition.assignment.strategy={name}",)))
    assert config.consumer["partition.assignment.strategy"] == name


def test_old_names(tmp_path: Path) -> None:
    """Files of Kafka 0.8 are read, as far as there is something like it."""
    config = read_command(
        _command(
            tmp_path,
            consumer=("fetch.message.max.bytes=1000", "zookeeper.connect=zk:2181"),
            producer=("producer.type=sync",),
        )
    )
    assert config.consumer["max.partition.fetch.bytes"] == "1000"
    assert "zookeeper.connect" not in config.consumer
    assert config.one_by_one
    assert [each.key for each in config.warnings] == [
        "fetch.message.max.bytes",
        "zookeeper.connect",
    ]


def test_what_cannot_be(tmp_path: Path) -> None:
    """Everything that is wrong is told at once, with its line; secrets are not."""
    command = _command(
        tmp_path,
        consumer=("group.instance.id=one", "max.poll.records=many"),
        producer=("transactional.id=t", "ssl.key.password=geheim", "linger.ms=soon"),
    )
    with pytest.raises(ConfigError) as caught:
        read_command(replace(command, streams=2, abort_on_send_failure="maybe"))
    assert {each.key for each in caught.value.problems} == {
        *("group.instance.id", "max.poll.records", "transactional.id", "linger.ms"),
        "--abort.on.send.failure",
    }
    assert "geheim" not in str(caught.value)


def test_without_a_group_or_an_address(tmp_path: Path) -> None:
    """Both are wanted, and said to be missing."""
    command = _command(tmp_path)
    assert command.consumer is not None
    command.consumer.write_text("auto.offset.reset=earliest\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_command(command)
    assert {each.key for each in caught.value.problems} == {"group.id", "bootstrap.servers"}


def test_leaving_out_is_warned_of(command: Mm1Command) -> None:
    """It loses records, which is what it is for."""
    config = read_command(replace(command, abort_on_send_failure="FALSE"))
    assert not config.abort_on_send_failure
    assert [each.key for each in config.warnings] == ["--abort.on.send.failure"]


def test_settings_of_providers_are_left_to_the_client(tmp_path: Path) -> None:
    """It reads them itself, so what they bring is not judged."""
    lines = ("config.providers=env", "max.poll.records=${env:RECORDS}")
    config = read_command(_command(tmp_path, consumer=lines))
    assert config.consumer["max.poll.records"] == "${env:RECORDS}"
    assert not _warned(config)


def test_the_name_of_today_counts_wherever_it_stands(tmp_path: Path) -> None:
    """MirrorMaker 1's clients do not know the old ones."""
    old = ("metadata.broker.list=old:9092", "request.required.acks=1")
    command = _command(tmp_path)
    command.producer.write_text("\n".join((*old, *_WRITES, "acks=all")), encoding="utf-8")
    config = read_command(command)
    assert config.producer["bootstrap.servers"] == "dr:9092"
    assert config.producer["acks"] == "all"
    assert _warned(config) == [
        "metadata.broker.list=old:9092: has no effect: bootstrap.servers is set, too",
        "request.required.acks=1: has no effect: acks is set, too",
    ]
