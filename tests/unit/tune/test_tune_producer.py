"""What producers do with records: each danger is seen, named, and settled."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.tune.finding import Level, Program, Setting
from kmirror.tune.link import Link, Measured
from kmirror.tune.scenarios import Scenario
from tests.support.tuned import SLOW, about, advice_for, applied, dangers

FAST = Measured(
    source=Link(rtt_ms=0.2, bytes_per_s=125e6),
    target=Link(rtt_ms=0.2, bytes_per_s=125e6),
    partitions=4,
)
EOS = "B.exactly.once.source.support = enabled\nA.consumer.isolation.level = read_committed\n"


def test_a_file_without_anything_is_not_dangerous() -> None:
    """MirrorMaker 2's defaults repeat records after a crash or a lost answer; no more than that."""
    advice = advice_for()
    assert not advice.dangerous
    assert [each.scenario for each in advice.findings] == [
        Scenario.LOST_ANSWERS,
        Scenario.KILLED_WORKER,
    ]


@pytest.mark.parametrize("measured", [Measured(), SLOW, FAST])
def test_the_timeout_behind_the_duplicates(measured: Measured) -> None:
    """500 ms is dangerous on any link, and worse on a slow one."""
    advice = advice_for("B.producer.request.timeout.ms = 500\n", measured)
    (finding,) = about(advice, "request.timeout.ms")[:1]
    assert finding.level is Level.DANGER
    assert finding.lines[0].value == "500"
    assert finding.lines[0].where is not None
    assert finding.lines[0].where.endswith("mm2.properties:5")
    assert finding.kmirror.startswith("raised to 5000")
    assert int(finding.instead[0].value) >= 30_000


def test_the_arithmetic_is_shown() -> None:
    """A batch of 64 KiB at 1 Mbit/s does not fit into 500 ms; one of 8 KiB would."""
    one = replace(SLOW, partitions=1)
    text = "B.producer.request.timeout.ms = 500\nB.producer.batch.size = 65536\n"
    (finding,) = about(advice_for(text, one), "request.timeout.ms")
    assert "64 KiB needs 624 ms (1 Mbit/s, 100 ms), and has 500 ms: more than there is" in (
        finding.says
    )
    small = text.replace("65536", "8192")
    (finding,) = about(advice_for(small, one), "request.timeout.ms")
    assert "more than a quarter" in finding.says


@pytest.mark.parametrize(
    ("lines", "partitions", "scenario"),
    [
        ("", 1, Scenario.DEFAULT_RETRIES),
        ("B.producer.retries = 1\n", 1, Scenario.FEW_RETRIES),
        ("B.producer.retries = 1\n", 4, Scenario.MANY_PARTITIONS),
        ("B.producer.retries = 1\nB.producer.batch.size = 65536\n", 1, Scenario.LARGE_BATCHES),
    ],
)
def test_the_scenario_that_shows_it(lines: str, partitions: int, scenario: Scenario) -> None:
    """The one that is most like the file."""
    text = f"B.producer.request.timeout.ms = 500\n{lines}"
    (finding,) = about(advice_for(text, replace(SLOW, partitions=partitions)), "request.timeout.ms")
    assert finding.scenario is scenario


def test_a_long_timeout_may_be_short_for_the_link() -> None:
    """30 s for a request of 1 MiB at 1 Mbit/s: it passes, with less room than there should be."""
    (finding,) = about(advice_for("", SLOW), "producer.request.timeout.ms")
    assert finding.level is Level.WARNING
    assert finding.instead == (Setting(key="B.producer.request.timeout.ms", value="35000"),)
    assert not about(advice_for("", FAST), "producer.request.timeout.ms")


@pytest.mark.parametrize(
    ("line", "scenario"),
    [
        ("retries = 1", Scenario.FEW_RETRIES),
        ("retries = 0", Scenario.FEW_RETRIES),
        ("enable.idempotence = false", Scenario.LOST_ANSWERS),
        ("max.in.flight.requests.per.connection = 5", Scenario.SEVERAL_IN_FLIGHT),
        ("acks = 1", None),
        ("acks = 0", None),
        ("delivery.timeout.ms = 10000", None),
        ("delivery.timeout.ms = 30000", None),
    ],
)
def test_single_lines_that_are_dangerous(line: str, scenario: Scenario | None) -> None:
    """Each is found alone, and its lines settle it."""
    advice = advice_for(f"B.producer.{line}\n", FAST)
    assert len(dangers(advice)) == 1
    (finding,) = about(advice, line.partition(" ")[0])
    assert finding.level is Level.DANGER
    assert finding.scenario is scenario
    again = advice_for(f"B.producer.{line}\n{applied(advice)}", FAST)
    assert not dangers(again)


def test_idempotence_keeps_five_in_order() -> None:
    """Not more; and exactly once brings it along."""
    five = "B.producer.max.in.flight.requests.per.connection = 5\n"
    assert dangers(advice_for(five))
    assert not dangers(advice_for(five + "B.producer.enable.idempotence = true\n"))
    assert not dangers(advice_for(five + EOS))
    (said,) = dangers(advice_for(five.replace("5", "6") + EOS))
    assert "does not start" in said


def test_a_delivery_time_that_keeps_the_producer_from_starting() -> None:
    """Less than linger and request together; raising the request raises the delivery, too."""
    lines = (
        "B.producer.request.timeout.ms = 60000\nB.producer.linger.ms = 100\n"
        "B.producer.delivery.timeout.ms = 60000\n"
    )
    (finding,) = about(advice_for(lines, FAST), "delivery.timeout.ms")
    assert "does not start" in finding.says
    assert finding.instead == (Setting(key="B.producer.delivery.timeout.ms", value="120100"),)
    # A link so slow that the request needs more: both lines are in the snippet, and agree.
    crawling = replace(SLOW, target=Link(rtt_ms=100, bytes_per_s=10_000))
    settled = {
        each.key: int(each.value)
        for each in advice_for(lines, crawling).settings
        if each.key.endswith("timeout.ms")
    }
    assert (
        settled["B.producer.delivery.timeout.ms"] >= settled["B.producer.request.timeout.ms"] + 100
    )


def test_records_that_are_too_large() -> None:
    """Half more than the limit: the task would die at the first one."""
    advice = advice_for("", replace(FAST, record_bytes_max=1_500_000))
    (finding,) = about(advice, "max.request.size")
    assert finding.level is Level.DANGER
    assert finding.instead == (Setting(key="B.producer.max.request.size", value="4194304"),)
    assert Program.KMIRROR not in finding.concerns


def test_small_batches_on_a_long_link() -> None:
    """16 KiB in each round trip of 100 ms are 1.3 Mbit/s of a gigabit."""
    link = Link(rtt_ms=100, bytes_per_s=125e6)
    advice = advice_for("", Measured(source=link, target=link, partitions=1))
    (finding,) = about(advice, "batch.size")
    assert finding.level is Level.ADVICE
    assert "1.31 Mbit/s" in finding.says
    assert {each.key.removeprefix("B.producer."): each.value for each in finding.instead} == {
        "batch.size": "1048576",
        "linger.ms": "20",
        "max.in.flight.requests.per.connection": "5",
        "enable.idempotence": "true",
    }
    shorter = Link(rtt_ms=1, bytes_per_s=125e6)
    (finding,) = about(advice_for("", Measured(target=shorter, partitions=1)), "batch.size")
    assert [each.value for each in finding.instead] == ["524288", "20"]
    assert not about(advice_for("", FAST), "batch.size")


def test_compression() -> None:
    """What comes packed should not leave unpacked; what goes over a slow link should be packed."""
    (finding,) = about(advice_for("", replace(FAST, packed=0.25)), "compression.type")
    assert finding.level is Level.WARNING
    assert "4.0 times" in finding.says
    (finding,) = about(advice_for("", SLOW), "compression.type")
    assert finding.instead == (Setting(key="B.producer.compression.type", value="zstd"),)
    assert not about(advice_for("", FAST), "compression.type")
    packs = "B.producer.compression.type = lz4\n"
    assert not about(advice_for(packs, replace(SLOW, packed=0.25)), "compression.type")


def test_a_linger_of_seconds() -> None:
    """Every record would wait for it."""
    (finding,) = about(advice_for("B.producer.linger.ms = 5000\n"), "linger.ms")
    assert finding.level is Level.WARNING


def test_flows_that_share_a_cluster_get_lines_of_their_own() -> None:
    """What one flow's link needs, the other's need not have."""
    base = (
        "clusters = A, B, C\nA.bootstrap.servers = a:1\nB.bootstrap.servers = b:1\n"
        "C.bootstrap.servers = c:1\nA->C.enabled = true\nB->C.enabled = true\n"
    )
    advice = advice_for("C.producer.request.timeout.ms = 500\n", SLOW, base=base)
    keys = {each.key for each in advice.settings}
    assert "A->C.producer.override.request.timeout.ms" in keys
    assert "B->C.producer.override.request.timeout.ms" in keys
    assert "C.producer.request.timeout.ms" not in keys
    again = advice_for(f"C.producer.request.timeout.ms = 500\n{applied(advice)}", SLOW, base=base)
    assert not again.dangerous


def test_lines_of_a_flow_are_written_where_they_are() -> None:
    """They win over the cluster's, so the cluster's would not help."""
    own = "A->B.producer.override.request.timeout.ms"
    (setting,) = [each for each in advice_for(f"{own} = 500\n").settings if "request" in each.key]
    assert setting.key == own


def test_what_matters_to_kmirror() -> None:
    """It does not apply what is dangerous; what it obeys is told."""
    text = "B.producer.request.timeout.ms = 500\nB.producer.retries = 1\nB.producer.acks = 1\n"
    only = frozenset({Program.KMIRROR})
    assert not advice_for(text, programs=only).dangerous
    slow = replace(SLOW, target=Link(rtt_ms=100, bytes_per_s=20_000))
    (finding,) = about(
        advice_for("B.producer.request.timeout.ms = 6000\n", slow, programs=only),
        "producer.request.timeout.ms",
    )
    assert finding.kmirror == "obeyed"
