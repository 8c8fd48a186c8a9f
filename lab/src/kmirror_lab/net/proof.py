"""What was measured beside what was wanted, and whether the one is the other: pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kmirror_lab.net import link_units
from kmirror_lab.net.settings import LinkSettings, OneWay

# A measured delay may differ by the machine's own pace, and a rate by TCP's.
_DELAY_S_OFF = 0.010
_DELAY_PART_OFF = 0.10
_RATE_PART_MIN = 0.75
_RATE_PART_MAX = 1.10
# What TCP has on its way after the part of a transfer that does not count.
_IN_FLIGHT_BITS_MAX = 1_000_000
# A transfer of a second or two is so much quicker when the bucket holds more of the rate than that.
_BUCKET_S_MAX = 0.05
_SIGMAS = 4
# What a rate is to a transfer that something hinders, and one that a bucket gives a start.
_BOUNDS = {
    (False, False): "",
    (True, False): "at most ",
    (False, True): "at least ",
    (True, True): "about ",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ping:
    """
    What `ping` found.

    Args:
        sent: How many requests.
        received: How many answers.
        rtt_s: The median round trip time, which one slow answer (of ARP, say) does not change;
            `None` without answers.
    """

    sent: int
    received: int
    rtt_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """
    What was found out about one direction.

    Args:
        sent: How many probes left.
        received: How many of them arrived.
        delay_s: The median time that they took; `None` when none arrived.
        overtaken: How many arrived behind a later one.
        rate_bit_s: What a TCP transfer reached; `None` when it was not tried or did not begin.
    """

    sent: int
    received: int
    delay_s: float | None = None
    overtaken: int = 0
    rate_bit_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """
    One value.

    Args:
        what: Which.
        wanted: What was set.
        measured: What was found.
        holds: Whether that is the same, as far as it can be.
    """

    what: str
    wanted: str
    measured: str
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """
    A whole measurement.

    Args:
        names: Of the first and the second side.
        settings: What was wanted.
        ping: The round trip; `None` where nothing can be pinged.
        there: From the first side to the second.
        back: From the second to the first.
        transfer: What made the transfers.
    """

    names: tuple[str, str]
    settings: LinkSettings
    ping: Ping | None
    there: Measured
    back: Measured
    transfer: str

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every value, wanted and measured."""
        first, second = self.names
        return (
            *([self._round_trip(self.ping)] if self.ping else []),
            *self._way(f"{first} -> {second}", self.settings.there, self.there),
            *self._way(f"{second} -> {first}", self.settings.back, self.back),
        )

    @property
    def means(self) -> str:
        """What it was measured with."""
        found = "ping, timed packets" if self.ping else "timed messages"
        return f"{found} and {self.transfer}"

    @property
    def holds(self) -> bool:
        """Whether the link does what was wanted."""
        return all(line.holds for line in self.lines)

    def _round_trip(self, ping: Ping) -> Line:
        wanted = self.settings
        answers = f"{ping.received} of {ping.sent} answers"
        if wanted.cut:
            return Line(what="ping", wanted="none", measured=answers, holds=not ping.received)
        ways = (wanted.there, wanted.back)
        if ping.rtt_s is None:
            # Few requests may all be lost by chance.
            likely = any(way.loss and (way.burst > 1 or way.loss >= 0.5) for way in ways)
            return Line(what="ping", wanted="answers", measured=answers, holds=likely)
        # When most packets overtake, the median is one of theirs.
        overtaken = max(way.reorder for way in ways) >= 0.4
        slack_s = sum(way.jitter_s + (way.delay_s if overtaken else 0.0) for way in ways)
        return Line(
            what="ping: round trip",
            wanted=link_units.show_duration(wanted.rtt_s),
            measured=link_units.show_duration(ping.rtt_s),
            holds=_near(ping.rtt_s, wanted.rtt_s, slack_s),
        )

    def _way(self, what: str, way: OneWay, found: Measured) -> list[Line]:
        if way.cut:
            arrived = f"{found.received} of {found.sent} arrived"
            return [Line(what=what, wanted="cut", measured=arrived, holds=found.received == 0)]
        return [
            _delay(what, way, found),
            *([_overtaken(what, way, found)] if way.reorder else []),
            # A stream loses nothing.
            *([_loss(what, way, found)] if self.ping else []),
            *([] if self.settings.cut else [self._rate(what, way, found)]),
        ]

    def _rate(self, what: str, way: OneWay, found: Measured) -> Line:
        wanted = way.rate_bit_s
        measured = found.rate_bit_s or 0.0
        ways = (self.settings.there, self.settings.back)
        hindered = any(entry.loss or entry.reorder for entry in ways)
        hindered = hindered or wanted * self.settings.rtt_s > _IN_FLIGHT_BITS_MAX
        bursts = 8 * way.bucket_bytes > wanted * _BUCKET_S_MAX
        holds = not wanted or bursts or measured <= _RATE_PART_MAX * wanted
        if not hindered:
            holds = holds and measured > 0 and measured >= _RATE_PART_MIN * wanted
        bound = _BOUNDS[hindered, bursts]
        return Line(
            what=f"{what}: rate",
            wanted=f"{bound}{link_units.show_rate(wanted)}" if wanted else "no limit",
            measured=link_units.show_rate(measured) if measured else "nothing came through",
            holds=holds,
        )


def _delay(what: str, way: OneWay, found: Measured) -> Line:
    if found.delay_s is None:
        return Line(
            what=f"{what}: delay",
            wanted=link_units.show_duration(way.delay_s),
            measured="nothing arrived",
            holds=way.loss > 0.5,
        )
    # When most packets overtake, the median is one of theirs.
    holds = way.reorder >= 0.4 or _near(found.delay_s, way.delay_s, way.jitter_s / 2)
    return Line(
        what=f"{what}: delay",
        wanted=link_units.show_duration(way.delay_s),
        measured=link_units.show_duration(found.delay_s),
        holds=holds,
    )


def _loss(what: str, way: OneWay, found: Measured) -> Line:
    measured = 1 - found.received / found.sent
    spread = math.sqrt(way.loss * (1 - way.loss) / found.sent)
    bursts = way.burst / found.sent if way.loss else 0.0
    return Line(
        what=f"{what}: loss",
        wanted=link_units.show_share(way.loss),
        measured=link_units.show_share(measured),
        holds=abs(measured - way.loss) <= _SIGMAS * spread + bursts + 1 / found.sent,
    )


def _overtaken(what: str, way: OneWay, found: Measured) -> Line:
    # A packet without delay overtakes all that are on their way: most of the others, if few do.
    return Line(
        what=f"{what}: reordering",
        wanted=f"{link_units.show_share(way.reorder)} without delay",
        measured=f"{found.overtaken} of {found.received} overtaken",
        holds=found.overtaken > 0,
    )


def _near(measured: float, wanted: float, slack: float) -> bool:
    return abs(measured - wanted) <= slack + _DELAY_S_OFF + _DELAY_PART_OFF * wanted
