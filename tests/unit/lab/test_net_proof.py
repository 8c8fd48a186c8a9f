"""What was measured beside what was wanted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kmirror_lab.net.measure import probes_for, read_iperf3, read_ping
from kmirror_lab.net.proof import Measured, Ping, Proof
from kmirror_lab.net.settings import LinkSettings, OneWay

from kmirror.errors import EnvironmentProblem

_WAY = OneWay(rate_bit_s=1_000_000, delay_s=0.05)
_FOUND = Measured(sent=50, received=50, delay_s=0.051, rate_bit_s=960_000)
_GOOD = Proof(
    names=("a", "b"),
    settings=LinkSettings(there=_WAY, back=_WAY),
    ping=Ping(sent=20, received=20, rtt_s=0.102),
    there=_FOUND,
    back=_FOUND,
    transfer="iperf3",
)


def _off(proof: Proof) -> list[str]:
    return [line.what for line in proof.lines if not line.holds]


def test_what_fits_holds() -> None:
    """Each value has a line, in the units of the settings."""
    assert _GOOD.holds
    texts = [(line.what, line.wanted, line.measured) for line in _GOOD.lines]
    assert ("ping: round trip", "100ms", "102ms") in texts
    assert ("a -> b: rate", "1mbit", "960kbit") in texts
    assert ("b -> a: loss", "0%", "0%") in texts


@pytest.mark.parametrize(
    ("found", "what"),
    [
        (replace(_FOUND, rate_bit_s=500_000), "a -> b: rate"),
        (replace(_FOUND, rate_bit_s=2_000_000), "a -> b: rate"),
        (replace(_FOUND, rate_bit_s=None), "a -> b: rate"),
        (replace(_FOUND, delay_s=0.1), "a -> b: delay"),
        (replace(_FOUND, received=40), "a -> b: loss"),
    ],
)
def test_what_differs_is_told(found: Measured, what: str) -> None:
    """The value that is off, and no other."""
    assert _off(replace(_GOOD, there=found)) == [what]


def test_under_loss_a_rate_is_a_bound() -> None:
    """TCP gives way long before; but more than was allowed is wrong."""
    lossy = LinkSettings(there=replace(_WAY, loss=0.5), back=_WAY)
    found = Measured(sent=1500, received=760, delay_s=0.05, rate_bit_s=1000)
    assert replace(_GOOD, settings=lossy, there=found).holds
    fast = replace(found, rate_bit_s=3_000_000)
    assert _off(replace(_GOOD, settings=lossy, there=fast)) == ["a -> b: rate"]


def test_a_bucket_makes_a_rate_the_least() -> None:
    """What passes at once comes on top; one of the usual size does not count."""
    wide = replace(_WAY, bucket_bytes=4_000_000)
    fast = replace(_FOUND, rate_bit_s=9_000_000)
    proof = replace(_GOOD, settings=LinkSettings(there=wide, back=_WAY), there=fast)
    assert proof.holds
    assert "at least 1mbit" in [line.wanted for line in proof.lines]
    slow = replace(_FOUND, rate_bit_s=500_000)
    assert _off(replace(proof, there=slow)) == ["a -> b: rate"]
    lossy = LinkSettings(there=replace(wide, loss=0.5), back=_WAY)
    found = Measured(sent=1500, received=760, delay_s=0.05, rate_bit_s=1000)
    proof = replace(_GOOD, settings=lossy, there=found)
    assert proof.holds
    assert "about 1mbit" in [line.wanted for line in proof.lines]
    small = LinkSettings(there=replace(_WAY, bucket_bytes=4_000), back=_WAY)
    assert _off(replace(_GOOD, settings=small, there=fast)) == ["a -> b: rate"]


def test_a_one_way_cut_is_seen_in_its_direction() -> None:
    """The other direction works as before."""
    cut = LinkSettings(there=_WAY, back=replace(_WAY, cut=True))
    silent = Ping(sent=20, received=0, rtt_s=None)
    proof = replace(_GOOD, settings=cut, ping=silent, back=Measured(sent=50, received=0))
    assert proof.holds
    leaking = replace(proof, back=Measured(sent=50, received=1, delay_s=0.05))
    assert _off(leaking) == ["b -> a"]
    assert _off(replace(proof, ping=_GOOD.ping)) == ["ping"]


def test_bursts_may_swallow_every_ping() -> None:
    """Twenty requests are one burst; the timed packets are many."""
    bursts = LinkSettings(there=replace(_WAY, loss=0.1, burst=20), back=_WAY)
    silent = Ping(sent=20, received=0, rtt_s=None)
    found = Measured(sent=1000, received=900, delay_s=0.05, rate_bit_s=1000)
    assert replace(_GOOD, settings=bursts, ping=silent, there=found).holds
    assert _off(replace(_GOOD, ping=silent)) == ["ping"]


def test_probes_do_not_fill_the_link() -> None:
    """A quarter of its rate at most; many only where there is something to count."""
    assert probes_for(OneWay()).count < probes_for(OneWay(loss=0.05)).count
    slow = probes_for(OneWay(rate_bit_s=64_000, loss=0.05))
    assert 40 * 8 / slow.every_s <= 64_000 * 0.25
    assert slow.count >= 50


def test_what_ping_wrote_is_read() -> None:
    """With answers, without, and when it did not run; one slow answer changes nothing."""
    times_ms = ("1101.6", "100.9", "101.6", "100.1", "104.2")
    answers = "".join(
        f"64 bytes: icmp_seq={n} ttl=64 time={ms} ms\n" for n, ms in enumerate(times_ms)
    )
    counts = "20 packets transmitted, 5 received, 75% packet loss, time 394ms\n"
    assert read_ping(answers + counts) == Ping(sent=20, received=5, rtt_s=0.1016)
    silent = "20 packets transmitted, 0 received, 100% packet loss, time 394ms\n"
    assert read_ping(silent) == Ping(sent=20, received=0, rtt_s=None)
    with pytest.raises(EnvironmentProblem, match="unreachable"):
        read_ping("", trouble="ping: connect: Network is unreachable")


def test_what_iperf3_wrote_is_read() -> None:
    """Or that it did not get through."""
    assert read_iperf3('{"end": {"sum_received": {"bits_per_second": 961500.5}}}') == 961500.5
    assert read_iperf3('{"end": {}, "error": "unable to connect"}') is None
    assert read_iperf3("") is None
