"""What a link does to packets: pure values, one set for each direction."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, fields, replace
from enum import Enum

from kmirror_lab.net import link_units

RATE_BIT_S_MIN = 8_000
RATE_BIT_S_MAX = 10_000_000_000
DELAY_S_MAX = 30.0
QUEUE_S_MAX = 60.0
QUEUE_S_USUAL = 0.4
BURST_MAX = 1_000
# A packet has to fit in.
BUCKET_BYTES_MIN = 1_600
BUCKET_BYTES_MAX = 100_000_000
# As fine as it can be told to the kernel.
LOSS_MIN = 1e-6


class Direction(Enum):
    """Which packets are meant: all, or those that leave the first or the second side."""

    BOTH = "both"
    THERE = "there"
    BACK = "back"


@dataclass(frozen=True, slots=True, kw_only=True)
class OneWay:
    """
    What happens to the packets of one direction.

    Args:
        rate_bit_s: How many bits a second pass; 0 is no limit.
        queue_s: How long a packet may wait for its turn before it is dropped; with a rate only.
        bucket_bytes: How much passes at once before the rate counts, as `burst` of `tbf`; 0 is what
            suits the rate. With a rate only.
        delay_s: How long a packet is on its way.
        jitter_s: How much earlier or later than that it may arrive.
        loss: The share of packets that never arrive, from 0 to 1.
        burst: How many are lost in a row; 1 is each for itself, at random.
        reorder: The share of packets that overtake the others by not being delayed.
        cut: Whether nothing arrives.

    Raises:
        ValueError: A value is out of its bounds, or needs another one.
    """

    rate_bit_s: int = 0
    queue_s: float = QUEUE_S_USUAL
    bucket_bytes: int = 0
    delay_s: float = 0.0
    jitter_s: float = 0.0
    loss: float = 0.0
    burst: int = 1
    reorder: float = 0.0
    cut: bool = False

    def __post_init__(self) -> None:
        if self.rate_bit_s:
            _within(
                "the rate", self.rate_bit_s, RATE_BIT_S_MIN, RATE_BIT_S_MAX, link_units.show_rate
            )
        _within("the queue", self.queue_s, 0.001, QUEUE_S_MAX, link_units.show_duration)
        if self.bucket_bytes:
            _within(
                "the bucket",
                self.bucket_bytes,
                BUCKET_BYTES_MIN,
                BUCKET_BYTES_MAX,
                link_units.show_size,
            )
        _within("the delay", self.delay_s, 0, DELAY_S_MAX, link_units.show_duration)
        if self.loss:
            _within("the loss", self.loss, LOSS_MIN, 1, link_units.show_share)
        _within("the burst", self.burst, 1, BURST_MAX, str)
        _within("the share of reordered packets", self.reorder, 0, 1, link_units.show_share)
        if not 0 <= self.jitter_s <= self.delay_s:
            raise ValueError(
                f"a jitter of {link_units.show_duration(self.jitter_s)} is more than "
                f"the delay, {link_units.show_duration(self.delay_s)}"
            )
        if self.reorder and not self.delay_s:
            raise ValueError("packets overtake others by not being delayed: give a delay, too")

    def __str__(self) -> str:
        if self.cut:
            return "cut"
        words = [
            f"rate {link_units.show_rate(self.rate_bit_s)}" if self.rate_bit_s else "",
            f"queue {link_units.show_duration(self.queue_s)}" if self._has_queue else "",
            f"bucket {link_units.show_size(self.bucket_bytes)}"
            if self.rate_bit_s and self.bucket_bytes
            else "",
            f"delay {link_units.show_duration(self.delay_s)} one way" if self.delay_s else "",
            f"jitter {link_units.show_duration(self.jitter_s)}" if self.jitter_s else "",
            f"loss {link_units.show_share(self.loss)}" if self.loss else "",
            f"{self.burst} in a row" if self.loss and self.burst > 1 else "",
            f"reorder {link_units.show_share(self.reorder)}" if self.reorder else "",
        ]
        return ", ".join(word for word in words if word) or "nothing"

    @property
    def _has_queue(self) -> bool:
        return bool(self.rate_bit_s) and self.queue_s != QUEUE_S_USUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """New values for a direction; `None` leaves what is set. The names are those of `OneWay`."""

    rate_bit_s: int | None = None
    queue_s: float | None = None
    bucket_bytes: int | None = None
    delay_s: float | None = None
    jitter_s: float | None = None
    loss: float | None = None
    burst: int | None = None
    reorder: float | None = None
    cut: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSettings:
    """
    What the link does.

    Args:
        there: To packets from the first side to the second.
        back: To those from the second to the first.
    """

    there: OneWay = field(default_factory=OneWay)
    back: OneWay = field(default_factory=OneWay)

    def changed(self, change: Change, direction: Direction = Direction.BOTH) -> LinkSettings:
        """
        Return the settings after a change.

        Raises:
            ValueError: They would contradict themselves.
        """
        there, back = self.there, self.back
        if direction is not Direction.BACK:
            there = _changed(there, change)
        if direction is not Direction.THERE:
            back = _changed(back, change)
        return LinkSettings(there=there, back=back)

    @property
    def rtt_s(self) -> float:
        """The round trip time that the delays make."""
        return self.there.delay_s + self.back.delay_s

    @property
    def cut(self) -> bool:
        """Whether no answer can come back."""
        return self.there.cut or self.back.cut


def read_change(
    *,
    rate: str | None = None,
    queue: str | None = None,
    bucket: str | None = None,
    delay: str | None = None,
    rtt: str | None = None,
    jitter: str | None = None,
    loss: str | None = None,
    burst: int | None = None,
    reorder: str | None = None,
) -> Change:
    """
    Read a change as people write it: `rate="1mbit", delay="100ms", loss="5%"`.

    A delay is one way, as with `tc`; `rtt` is a round trip, half of it in each direction.

    Raises:
        ValueError: A text is no rate, duration, size or share; the message names it.
    """
    if delay is not None and rtt is not None:
        raise ValueError("give the delay of one way, or the round trip, not both")
    delay_s = None if delay is None else link_units.duration_s(delay)
    if rtt is not None:
        delay_s = link_units.duration_s(rtt) / 2
    return Change(
        rate_bit_s=None if rate is None else link_units.rate_bit_s(rate),
        queue_s=None if queue is None else link_units.duration_s(queue),
        bucket_bytes=None if bucket is None else link_units.size_bytes(bucket),
        delay_s=delay_s,
        jitter_s=None if jitter is None else link_units.duration_s(jitter),
        loss=None if loss is None else link_units.share(loss),
        burst=burst,
        reorder=None if reorder is None else link_units.share(reorder),
    )


def to_json(settings: LinkSettings) -> str:
    """Write settings as one line of JSON."""
    return json.dumps(asdict(settings))


def from_json(text: str) -> LinkSettings:
    """Read what `to_json` wrote."""
    found = json.loads(text)
    return LinkSettings(there=OneWay(**found["there"]), back=OneWay(**found["back"]))


def _changed(way: OneWay, change: Change) -> OneWay:
    values = {entry.name: getattr(change, entry.name) for entry in fields(Change)}
    changed = replace(way, **{name: value for name, value in values.items() if value is not None})
    if change.burst is not None and change.burst > 1 and not changed.loss:
        raise ValueError("a burst is of lost packets: give a loss, too")
    return changed


def _within(
    what: str, value: float, least: float, most: float, show: Callable[[float], str]
) -> None:
    if not least <= value <= most:
        raise ValueError(f"{what} is {show(value)}, and must be {show(least)} to {show(most)}")
