"""Advice for MirrorMaker 1's two files and its command line."""

from __future__ import annotations

import pytest

from kmirror.config.entry import Entries, Entry
from kmirror.tune.advise import Advice, Mm1Question, advise_mm1
from kmirror.tune.finding import Level
from kmirror.tune.kernel import KernelSettings
from kmirror.tune.link import Link, Measured
from kmirror.tune.mm1_case import Mm1Files

_SAFE = {
    "consumer": {"auto.offset.reset": "earliest"},
    "--": {"offset.commit.interval.ms": "10000"},
}


def _entries(prefix: str, values: dict[str, str]) -> Entries:
    return {
        name: Entry(key=f"{prefix}{name}", text=text, where=f"file:{at}")
        for at, (name, text) in enumerate(values.items(), 1)
    }


def _advice(measured: Measured | None = None, **more: dict[str, str]) -> Advice:
    given = {
        role: {**_SAFE.get(role, {}), **more.get(name, {})}
        for role, name in (("consumer", "consumer"), ("producer", "producer"), ("--", "command"))
    }
    files = Mm1Files(
        consumer=_entries("consumer.", given["consumer"]),
        producer=_entries("producer.", given["producer"]),
        command=_entries("--", given["--"]),
    )
    return advise_mm1(Mm1Question(files=files, measured=measured or Measured()))


def test_safe_settings_are_not_spoken_of() -> None:
    """MirrorMaker 1 sets the most important ones itself."""
    assert _advice().findings == ()


_CASES: list[tuple[dict[str, dict[str, str]], Measured, Level, str, dict[str, str]]] = [
    (
        {"producer": {"acks": "1"}},
        Measured(),
        Level.DANGER,
        "before the target's replicas have it",
        {"producer.acks": "all"},
    ),
    (
        {"producer": {"retries": "3"}},
        Measured(),
        Level.DANGER,
        "and the process ends",
        {"producer.retries": "2147483647"},
    ),
    (
        {"command": {"abort.on.send.failure": "false"}},
        Measured(),
        Level.DANGER,
        "is lost, and the next commit goes beyond it",
        {"--abort.on.send.failure": "true"},
    ),
    (
        {"consumer": {"enable.auto.commit": "true"}},
        Measured(),
        Level.DANGER,
        "committed before the target has acknowledged",
        {"consumer.enable.auto.commit": "false"},
    ),
    (
        {
            "producer": {
                "enable.idempotence": "false",
                "max.in.flight.requests.per.connection": "5",
            }
        },
        Measured(),
        Level.DANGER,
        "nothing keeps their order",
        {
            "producer.enable.idempotence": "true",
            "producer.max.in.flight.requests.per.connection": "5",
        },
    ),
    (
        {"producer": {"enable.idempotence": "false"}},
        Measured(),
        Level.WARNING,
        "written a second time",
        {"producer.enable.idempotence": "true"},
    ),
    (
        {"command": {"offset.commit.interval.ms": "60000"}},
        Measured(target=Link(bytes_per_s=125_000)),
        Level.WARNING,
        "in the last 60 s, up to 7.153 MiB on this link",
        {"--offset.commit.interval.ms": "10000"},
    ),
    (
        {"consumer": {"auto.offset.reset": "latest"}},
        Measured(),
        Level.WARNING,
        "new topic or partition",
        {"consumer.auto.offset.reset": "earliest"},
    ),
    (
        {"command": {"num.streams": "8"}},
        Measured(partitions=6),
        Level.ADVICE,
        "6 partitions: other streams get none",
        {"--num.streams": "6"},
    ),
    (
        {},
        Measured(partitions=32),
        Level.ADVICE,
        "one stream copies 32 partitions",
        {"--num.streams": "4"},
    ),
    (
        {"command": {"num.streams": "4"}},
        Measured(),
        Level.ADVICE,
        "the first partitions of every topic",
        {
            "consumer.partition.assignment.strategy": (
                "org.apache.kafka.clients.consumer.RoundRobinAssignor"
            )
        },
    ),
]


@pytest.mark.parametrize(("files", "measured", "level", "says", "instead"), _CASES)
def test_a_setting(
    files: dict[str, dict[str, str]],
    measured: Measured,
    level: Level,
    says: str,
    instead: dict[str, str],
) -> None:
    """What it does, how much that matters, and what to write."""
    advice = _advice(measured, **files)
    (found,) = (each for each in advice.findings if says in each.says)
    assert found.level is level
    assert {each.key: each.value for each in found.instead} == instead
    settled = {each.key: each.value for each in advice.settings}
    assert instead.items() <= settled.items()


def test_with_retries_that_end_and_sends_that_are_left_out() -> None:
    """Both together lose the record without ending."""
    advice = _advice(producer={"retries": "0"}, command={"abort.on.send.failure": "false"})
    assert any("and the record is lost" in each.says for each in advice.findings)
    assert advice.dangerous


def test_a_strategy_of_another_kind_is_kept() -> None:
    """And one stream needs none."""
    chosen = {"partition.assignment.strategy": "org.apache.kafka.clients.consumer.StickyAssignor"}
    advice = _advice(consumer=chosen, command={"num.streams": "4"})
    assert not any("RangeAssignor" in each.why for each in advice.findings)


def test_a_long_link() -> None:
    """The same arithmetic as for MirrorMaker 2."""
    link = Link(rtt_ms=100, bytes_per_s=12.5e6)
    advice = _advice(Measured(source=link, target=link, placed=False))
    settled = {each.key: each.value for each in advice.settings}
    assert settled["producer.send.buffer.bytes"] == "-1"
    assert settled["consumer.receive.buffer.bytes"] == "-1"
    assert int(settled["producer.batch.size"]) > 16_384


def test_the_kernel() -> None:
    """Of the machine that it runs on."""
    kernel = KernelSettings(values={"net.ipv4.tcp_window_scaling": (0,)})
    files = Mm1Files(consumer={}, producer={}, command={})
    advice = advise_mm1(Mm1Question(files=files, measured=Measured(), kernel=kernel))
    (row,) = (each for each in advice.kernel if each.changes)
    assert row.line == "net.ipv4.tcp_window_scaling = 1"
