"""
What is known of the way that records travel, and the arithmetic on it.

Three rules of thumb carry all of the advice:

* a request takes `round trip + bytes / rate`, and may use a quarter of its time-out: the rest is
  for other traffic, lost packets and a broker's pauses;
* a link is busy when *bandwidth x round trip* bytes are under way (the bandwidth-delay product);
  a client that waits for each answer needs four times that in a request to reach 80 % of it:
  4 / (4 + 1);
* what is doubled is a power of two, so that a slightly slower link gives the same advice.
"""

from __future__ import annotations

from dataclasses import dataclass

TIMEOUT_SHARE = 4
PRODUCTS_PER_REQUEST = 4
REQUEST_TIMEOUT_MS = 30_000  # Kafka's default, and never advised below
LONG_MS = 5.0  # a round trip from which on it is no longer the same place
_STEP_MS = 5_000
INT_MAX = (1 << 31) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """
    The link between the mirror and one cluster.

    Args:
        rtt_ms: A request's round trip; None when unknown.
        bytes_per_s: What it carries; None when unknown.
    """

    rtt_ms: float | None = None
    bytes_per_s: float | None = None

    @property
    def product_bytes(self) -> int | None:
        """The bandwidth-delay product."""
        if self.rtt_ms is None or self.bytes_per_s is None:
            return None
        return round(self.bytes_per_s * self.rtt_ms / 1000)

    def request_ms(self, size_bytes: int) -> float | None:
        """How long a request of so many bytes takes; None when the rate is unknown."""
        if self.bytes_per_s is None:
            return None
        return (self.rtt_ms or 0.0) + 1000 * size_bytes / self.bytes_per_s

    def reached_bytes_s(self, size_bytes: int) -> float | None:
        """Return the rate of a client that waits for a response after so many bytes."""
        took_ms = self.request_ms(size_bytes)
        return None if took_ms is None or self.rtt_ms is None else 1000 * size_bytes / took_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """
    What is known of a flow's links and records, measured or given; None is unknown.

    Args:
        source, target: The mirror's links to both clusters.
        record_bytes: A record, as sent over the network, on average.
        record_bytes_max: The largest record that was seen.
        batch_bytes, batch_records: A record batch on the source, on average.
        packed: Bytes on the network for each byte of keys and values: below 1 when compressed.
        partitions: How many the flow copies.
        placed: Whether it is known beside which cluster the mirror runs, if any.
    """

    source: Link = Link()
    target: Link = Link()
    record_bytes: int | None = None
    record_bytes_max: int | None = None
    batch_bytes: int | None = None
    batch_records: float | None = None
    packed: float | None = None
    partitions: int | None = None
    placed: bool = True

    @property
    def largest_bytes(self) -> int:
        """The largest record that is known of."""
        return max(self.record_bytes or 0, self.record_bytes_max or 0)


def timeout_ms(link: Link, size_bytes: int) -> int:
    """
    Return the least time-out in which a request of so many bytes has room.

    Args:
        link: What it goes over.
        size_bytes: The largest request.
    """
    wanted = TIMEOUT_SHARE * (link.request_ms(size_bytes) or 0.0)
    steps = -(-wanted // _STEP_MS)
    return min(INT_MAX // 4, max(REQUEST_TIMEOUT_MS, int(steps) * _STEP_MS))


def size_within(link: Link, within_ms: int) -> int | None:
    """Return what passes in a quarter of a time-out, round trip included; None when unknown."""
    if link.bytes_per_s is None:
        return None
    left_ms = within_ms / TIMEOUT_SHARE - (link.rtt_ms or 0.0)
    return max(0, int(left_ms * link.bytes_per_s / 1000))


def busy_bytes(link: Link, partitions: int | None) -> int | None:
    """
    Return the size of a partition's part of a request that keeps a link busy.

    Args:
        link: What it goes over.
        partitions: How many share a request; one when unknown.
    """
    product = link.product_bytes
    if product is None:
        return None
    return power_above(PRODUCTS_PER_REQUEST * product // max(1, partitions or 1))


def power_above(number: int) -> int:
    """Return the smallest power of two that is at least *number*."""
    return 1 << max(0, number - 1).bit_length()


def power_below(number: int) -> int:
    """Return the largest power of two that is at most *number*, 1 at least."""
    return 1 << max(0, number.bit_length() - 1)
