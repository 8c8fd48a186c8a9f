"""What the kernel is told."""

from __future__ import annotations

from kmirror_lab.net.rules import (
    address_commands,
    arriving_rules,
    established,
    leaving_commands,
)
from kmirror_lab.net.settings import OneWay


def _rule(way: OneWay) -> list[str]:
    return [line.strip() for line in arriving_rules(way).splitlines() if "drop" in line]


def test_losses() -> None:
    """At random one by one, in a row every so often, or all."""
    assert _rule(OneWay()) == []
    random = 'iifname "wan0" numgen random mod 1000000 < 50000 counter drop'
    assert _rule(OneWay(loss=0.05)) == [random]
    rows = 'iifname "wan0" numgen inc mod 200 >= 190 counter drop'
    assert _rule(OneWay(loss=0.05, burst=10)) == [rows]
    assert _rule(OneWay(loss=1)) == ['iifname "wan0" counter drop']
    assert _rule(OneWay(loss=0.05, cut=True)) == ['iifname "wan0" counter drop']


def test_rules_replace_those_before() -> None:
    """In one transaction, whether there were some or not."""
    assert arriving_rules(OneWay()).splitlines()[:2] == [
        "table inet kmirror_link",
        "delete table inet kmirror_link",
    ]


def test_rates() -> None:
    """A rate takes the place of the plain queue; its bucket outlasts a tick of the clock."""
    plain, slow = (" ".join(c) for c in leaving_commands(OneWay(rate_bit_s=10**6), netem=False))
    assert plain == "tc qdisc replace dev wan0 root pfifo limit 1000"
    assert slow.endswith("root handle 2: tbf rate 1000000bit burst 4096b latency 400000us")
    fast = leaving_commands(OneWay(rate_bit_s=10**9), netem=False)[1]
    assert fast[fast.index("burst") + 1] == "1250000b"
    wide = leaving_commands(OneWay(rate_bit_s=10**6, bucket_bytes=32_000), netem=False)[1]
    assert wide[wide.index("burst") + 1] == "32000b"
    assert len(leaving_commands(OneWay(delay_s=0.1), netem=False)) == 1


def test_delays_of_the_kernel() -> None:
    """Where there is netem it delays, and the rate hangs below it."""
    way = OneWay(rate_bit_s=10**6, delay_s=0.1, jitter_s=0.02, reorder=0.05)
    _, delay, rate = (" ".join(words) for words in leaving_commands(way, netem=True))
    assert "root handle 1: netem limit 100000 delay 100000us 20000us reorder 5%" in delay
    assert "parent 1:1 handle 2: tbf" in rate


def test_a_side_has_one_route() -> None:
    """To its peer, with the congestion control that was asked for."""
    route = " ".join(address_commands("10.77.0.1", "10.77.0.2", "cubic")[-1])
    assert route == "ip route add 10.77.0.2/32 dev wan0 src 10.77.0.1 congctl cubic"


def test_connections_are_read() -> None:
    """Only those that are open."""
    listing = (
        'ESTAB     0 0 10.77.0.1:40000 10.77.0.2:9092 users:(("java"))\n'
        "TIME-WAIT 0 0 10.77.0.1:40001 10.77.0.2:9092\n\n"
    )
    assert established(listing) == {("10.77.0.1:40000", "10.77.0.2:9092")}
