"""Which links are measured, and what was measured on them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import product

RTTS_MS = (0, 20, 100, 300)
LOSSES_PERCENT = (0.0, 1.0, 5.0)
RATES_MBIT = (10.0, 100.0, 1000.0)
RECORD_BYTES = 1000
_CONNECTIONS = 2  # more than one of a mirror may carry records


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """
    A link, the same in both directions.

    Args:
        rtt_ms: A round trip.
        loss_percent: Packets that never arrive, at random.
        rate_mbit: Megabits (10^6) a second.
    """

    rtt_ms: float
    loss_percent: float
    rate_mbit: float

    @property
    def label(self) -> str:
        """What it is, for people."""
        return f"{self.rate_mbit:g} Mbit/s, RTT {self.rtt_ms:g} ms, loss {self.loss_percent:g} %"

    @property
    def settings(self) -> dict[str, str]:
        """The same for `NetLab.set`; what the link shall not do is left out."""
        words = {"rate": f"{round(self.rate_mbit * 1000)}kbit"}
        if self.rtt_ms:
            words["delay"] = f"{self.rtt_ms / 2:g}ms"
        if self.loss_percent:
            words["loss"] = f"{self.loss_percent:g}%"
        return words

    def records(self, seconds: float, tcp_mbit: float | None) -> int:
        """
        Say how many records are as many as the link could take in a time.

        Args:
            seconds: The time.
            tcp_mbit: What one TCP connection reached on it; with loss far less than its rate.
        """
        mbit = self.rate_mbit
        if tcp_mbit is not None:
            mbit = min(mbit, _CONNECTIONS * tcp_mbit)
        return max(1, int(mbit * 1e6 / 8 / RECORD_BYTES * seconds))


@dataclass(frozen=True, slots=True, kw_only=True)
class WanRun:
    """
    One contestant on one link.

    Args:
        contestant: Its name.
        link: The link.
        beside: The cluster that the mirror is beside: `source` or `target`.
        tcp_mbit: What one TCP connection reached on this link; `None` without a measurement.
        mbit: Bits of values that arrived a second, from the first record to the last, committed.
        complete: Whether all arrived in the time that there was.
        latency_p50_ms: Of a trickle of records, read_committed; `None` when none arrived.
        latency_p95_ms: The same, 95 of 100.
        cpu_s_per_gb: Processor seconds of the mirror for a gigabyte (10^9) of values; `None` when
            none arrived.
        extra: How many more records the copy has than the source, when the link was good again
            and all could come; 0 is right.
    """

    contestant: str
    link: Link
    beside: str
    tcp_mbit: float | None
    mbit: float
    complete: bool
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    cpu_s_per_gb: float | None
    extra: int

    @property
    def share(self) -> float:
        """The part of the link's rate that was used for values."""
        return self.mbit / self.link.rate_mbit


@dataclass(frozen=True, slots=True, kw_only=True)
class CutRun:
    """
    One contestant, a stream, and a link that is cut for a while.

    Args:
        contestant: Its name.
        link: The link.
        beside: The cluster that the mirror is beside.
        cut_s: For how long.
        recovery_s: From the end of the cut until records arrived no later than before it.
        extra: As of `WanRun`.
    """

    contestant: str
    link: Link
    beside: str
    cut_s: float
    recovery_s: float
    extra: int


def grid(
    rtts_ms: Iterable[float], losses_percent: Iterable[float], rates_mbit: Iterable[float]
) -> list[Link]:
    """Give every combination; the kindest links first."""
    return [
        Link(rtt_ms=rtt, loss_percent=loss, rate_mbit=rate)
        for rate, loss, rtt in product(rates_mbit, losses_percent, rtts_ms)
    ]


def to_json(runs: Iterable[WanRun], cuts: Iterable[CutRun]) -> str:
    """Write what was measured as one JSON document."""
    told = {
        "links": [asdict(run) | {"share": run.share} for run in runs],
        "cuts": [asdict(cut) for cut in cuts],
    }
    return json.dumps(told, indent=2) + "\n"
