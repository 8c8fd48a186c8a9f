"""Reading over a link: answers, waits, buffers, and the side to run on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.tune.finding import KMIRROR_ONLY, MM2_ONLY, Level, Program, Setting
from kmirror.tune.link import Link, Measured
from kmirror.tune.scenarios import Scenario
from tests.support.tuned import SLOW, about, advice_for, applied, dangers

NEAR = Link(rtt_ms=1)
TLS = "B.security.protocol = SSL\n"


def test_answers_that_never_arrive() -> None:
    """50 MiB at 1 Mbit/s take seven minutes; a quarter of 30 s holds half a MiB."""
    advice = advice_for("", replace(SLOW, partitions=100))
    (finding,) = about(advice, "fetch.max.bytes")
    assert finding.level is Level.DANGER
    assert "50 MiB needs 420 s at 1 Mbit/s, and has 30 s" in finding.says
    assert finding.instead == (
        Setting(key="A.consumer.fetch.max.bytes", value="524288"),
        Setting(key="A.consumer.max.partition.fetch.bytes", value="524288"),
    )
    assert finding.concerns == MM2_ONLY, "kmirror asks for what the link carries"
    assert not dangers(advice_for(applied(advice), replace(SLOW, partitions=100)))


def test_answers_of_unknown_size_are_no_danger() -> None:
    """How many partitions share an answer is not known: it may be one."""
    (finding,) = about(advice_for("", SLOW), "fetch.max.bytes")
    assert finding.level is Level.WARNING


def test_a_wait_longer_than_the_timeout() -> None:
    """The consumer gives up before the broker answers."""
    advice = advice_for(
        "A.consumer.request.timeout.ms = 6000\nA.consumer.fetch.max.wait.ms = 6000\n"
    )
    (said,) = dangers(advice)
    assert "gives up before" in said
    assert not dangers(
        advice_for(
            "A.consumer.request.timeout.ms = 6000\nA.consumer.fetch.max.wait.ms = 6000\n"
            + applied(advice)
        )
    )
    (finding,) = about(advice_for("A.consumer.request.timeout.ms = 2000\n"), "request.timeout.ms")
    assert finding.level is Level.WARNING
    assert finding.kmirror.startswith("raised")


def test_waiting_for_more_bytes() -> None:
    """A record waits for company."""
    lines = "A.consumer.fetch.min.bytes = 100000\nA.consumer.fetch.max.wait.ms = 5000\n"
    (finding,) = about(advice_for(lines), "fetch.min.bytes")
    assert finding.level is Level.ADVICE
    assert not about(advice_for("A.consumer.fetch.min.bytes = 100000\n"), "fetch.min.bytes")


def test_small_answers_on_a_long_link() -> None:
    """1 MiB in 100 ms are 77 Mbit/s of a gigabit."""
    link = Link(rtt_ms=100, bytes_per_s=125e6)
    (finding,) = about(
        advice_for("", Measured(source=link, partitions=1)), "max.partition.fetch.bytes"
    )
    assert "77.4 Mbit/s of 1 Gbit/s" in finding.says
    assert finding.instead == (
        Setting(key="A.consumer.max.partition.fetch.bytes", value="16777216"),
    )


def test_small_records() -> None:
    """500 of them are little for one turn."""
    assert about(advice_for("", Measured(record_bytes=100)), "max.poll.records")
    assert not about(advice_for("", Measured(record_bytes=2000)), "max.poll.records")


def test_isolation() -> None:
    """Told where the file asks for it, or for exactly once without it."""
    assert not about(advice_for(), "isolation.level")
    uncommitted = "A.consumer.isolation.level = read_uncommitted\n"
    assert about(advice_for(uncommitted), "isolation.level")
    (finding,) = about(advice_for("B.exactly.once.source.support = enabled\n"), "isolation.level")
    assert "does not call itself exactly once" in finding.why


@pytest.mark.parametrize("rate", [None, 1.25e6, 125e6])
def test_fixed_socket_buffers(rate: float | None) -> None:
    """64 KiB in 100 ms are 5 Mbit/s, whatever the link has."""
    link = Link(rtt_ms=100, bytes_per_s=rate)
    (finding,) = about(advice_for("", Measured(source=link)), "receive.buffer.bytes")
    assert "5.24 Mbit/s" in finding.says
    assert finding.level is (Level.ADVICE if rate is None else Level.WARNING)
    sized = "A.consumer.receive.buffer.bytes = -1\n"
    assert not about(advice_for(sized, Measured(source=link)), "receive.buffer.bytes")
    assert not about(advice_for("", Measured(source=NEAR)), "receive.buffer.bytes")


@pytest.mark.parametrize(
    ("target", "advised"),
    [
        (Link(rtt_ms=100, bytes_per_s=1_250_000), True),
        (Link(rtt_ms=100, bytes_per_s=125_000), False),
        (Link(rtt_ms=1, bytes_per_s=125_000_000), False),
        (Link(rtt_ms=100), False),
    ],
)
def test_connections_that_begin_anew(target: Link, *, advised: bool) -> None:
    """Said where a pause costs something: where the link holds much more than TCP begins with."""
    advice = advice_for("", Measured(source=NEAR, target=target))
    found = about(advice, "ipv4.tcp_slow_start_after_idle")
    assert len(found) == advised
    assert all(each.concerns == KMIRROR_ONLY for each in found)


def test_the_systems_own_limit() -> None:
    """10 Gbit/s and 100 ms hold 119 MiB."""
    link = Link(rtt_ms=100, bytes_per_s=1.25e9)
    findings = [
        each
        for each in advice_for("", Measured(source=link)).findings
        if "sysctl" in each.lines[0].key
    ]
    (finding,) = findings
    assert "250000000 bytes" in finding.why
    assert not finding.instead


def test_the_side_to_run_on() -> None:
    """Remote read, local write; where only the target is encrypted, clear text stays at home."""
    beside_source = Measured(source=NEAR, target=Link(rtt_ms=80))
    said = [each for each in advice_for("", beside_source).findings if "runs beside A" in each.says]
    assert [each.level for each in said] == [Level.WARNING]
    (but,) = [
        each for each in advice_for(TLS, beside_source).findings if "runs beside A" in each.says
    ]
    assert but.level is Level.ADVICE
    assert "clear text" in but.why
    right = Measured(source=Link(rtt_ms=80), target=NEAR)
    (clear,) = [each for each in advice_for(TLS, right).findings if "clear text" in each.says]
    assert "or run beside A" in clear.why
    for prefix in ("A.", "A.consumer.", "A->B.source.consumer."):
        encrypted = f"{prefix}security.protocol = SASL_SSL\n"
        advice = advice_for(encrypted, right)
        assert not [each for each in advice.findings if "clear text" in each.says], prefix
    reads = "A.security.protocol = SASL_SSL\nA.consumer.security.protocol = PLAINTEXT\n"
    assert [each for each in advice_for(reads, right).findings if "clear text" in each.says]
    writes = "B.producer.security.protocol = SSL\n"
    (clear,) = [each for each in advice_for(writes, right).findings if "clear text" in each.says]
    assert "or run beside A" in clear.why


def test_positions_of_a_killed_worker() -> None:
    """Once a minute by default; exactly once has them with the records."""
    (finding,) = about(advice_for(), "offset.flush.interval.ms")
    assert finding.scenario is Scenario.KILLED_WORKER
    assert finding.instead == (Setting(key="B.offset.flush.interval.ms", value="10000"),)
    assert Program.KMIRROR not in finding.concerns
    often = about(advice_for("B.offset.flush.interval.ms = 1000\n"), "offset.flush.interval.ms")
    assert [each.instead for each in often] == [()]
    eos = "B.exactly.once.source.support = enabled\n"
    assert not about(advice_for(eos), "offset.flush.interval.ms")
    (ours,) = about(advice_for("A->B.kmirror.exactly.once = false\n"), "kmirror.exactly.once")
    assert ours.concerns == frozenset({Program.KMIRROR})
    assert not ours.instead, "it was chosen"


def test_commits_take_round_trips() -> None:
    """Three of 100 ms do not fit between two commits of 100 ms."""
    (finding,) = about(advice_for("", SLOW), "kmirror.commit.interval.ms")
    assert finding.instead == (Setting(key="A->B.kmirror.commit.interval.ms", value="300"),)
    assert finding.concerns == frozenset({Program.KMIRROR})
    assert not about(advice_for("", Measured(target=NEAR)), "kmirror.commit.interval.ms")


def test_tasks() -> None:
    """As many as there is work for, and not more for a link that is full."""
    fast = Link(rtt_ms=1, bytes_per_s=125e6)
    (more,) = about(advice_for("", Measured(source=fast, partitions=64)), "tasks.max")
    assert more.instead == (Setting(key="A->B.tasks.max", value="4"),)
    assert not about(advice_for("", replace(SLOW, partitions=64)), "tasks.max")
    (less,) = about(advice_for("tasks.max = 8\n", Measured(partitions=3)), "tasks.max") or about(
        advice_for("A->B.tasks.max = 8\n", Measured(partitions=3)), "tasks.max"
    )
    assert less.instead[0].value == "3"
