"""Runs side by side that differ in one thing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kmirror_lab.duplicates.conditions import BATCH_KEY, TIMEOUT_KEY
from kmirror_lab.duplicates.course import Moment
from kmirror_lab.duplicates.result import Conditions, Peer, Run
from kmirror_lab.net import link_units
from kmirror_lab.report.texts import Text, code

_KIB = 1024
_WINDOW_S = 5.0
_SLOW = "kmirror lab duplicates --peer mm2 --scenario slow-link-large-batches"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """
    What runs are compared by.

    Args:
        name: For a file.
        title: What it is.
        of: Gives the value; 0 is none.
        without: Gives the conditions without it.
        show: Writes a value.
        vary: What gives it several values.
    """

    name: str
    title: Text
    of: Callable[[Conditions], float]
    without: Callable[[Conditions], Conditions]
    show: Callable[[float], str]
    vary: str

    @property
    def left_out(self) -> Text:
        """Say what would give it a plot."""
        command = code(f"{_SLOW} --vary {self.vary}")
        return Text(
            f"Records there twice against {self.title.en}: no two runs differ in that alone; "
            f"{command} gives some.",
            f"重复记录与{self.title.zh}的关系：没有两次运行只在这一项上不同；可运行 {command}。",
        )


def show_bytes(size: float) -> str:
    """Write a size in the largest unit in which it is whole."""
    for unit, of in (("MiB", _KIB**2), ("KiB", _KIB)):
        if size >= of and size % of == 0:
            return f"{size / of:,.0f} {unit}"
    return f"{size:,.0f} B"


AXES = (
    Axis(
        name="timeout",
        title=Text("request time-out", "请求超时"),
        of=lambda conditions: conditions.request_timeout_ms,
        without=lambda conditions: replace(conditions, request_timeout_ms=0),
        show=lambda value: f"{value:.0f} ms",
        vary=f"mirror.{TIMEOUT_KEY}=500,1000,2000,5000,30000",
    ),
    Axis(
        name="batch",
        title=Text("batch size", "批次大小"),
        of=lambda conditions: conditions.batch_bytes,
        without=lambda conditions: replace(conditions, batch_bytes=0),
        show=show_bytes,
        vary=f"mirror.{BATCH_KEY}=16384,32768,65536,131072,1048576",
    ),
    Axis(
        name="rate",
        title=Text("rate of the link", "链路速率"),
        of=lambda conditions: conditions.rate_bit_s,
        without=lambda conditions: replace(conditions, rate_bit_s=0),
        show=link_units.show_rate,
        vary="rate=500kbit,1mbit,2mbit,5mbit,10mbit",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """
    Runs of one mirror that differ in one thing.

    Args:
        peer: The mirror.
        fixed: What is the same in all of them.
        points: Value and run, by value.
    """

    peer: Peer
    fixed: str
    points: tuple[tuple[float, Run], ...]


def series_of(runs: Sequence[Run], axis: Axis) -> list[Series]:
    """Return those runs that can be compared: at least two values, and all else the same."""
    groups: dict[tuple[Peer, int, Conditions], list[Run]] = {}
    for run in runs:
        if axis.of(run.conditions):
            rest = axis.without(replace(run.conditions, asked="", changes=()))
            groups.setdefault((run.peer, run.audit.produced, rest), []).append(run)
    found = []
    for (peer, _, rest), group in groups.items():
        points = sorted(
            ((axis.of(run.conditions), run) for run in group), key=lambda point: point[0]
        )
        if len({value for value, _ in points}) > 1:
            found.append(Series(peer=peer, fixed=_fixed(rest, axis), points=tuple(points)))
    return found


def link_of(conditions: Conditions) -> str:
    """Write what the link does, in the words of a scenario."""
    words = [
        f"rate {link_units.show_rate(conditions.rate_bit_s)}" if conditions.rate_bit_s else "",
        f"delay {link_units.show_duration(conditions.delay_s)}" if conditions.delay_s else "",
        f"loss {link_units.show_share(conditions.loss)}" if conditions.loss else "",
        f"loss back {link_units.show_share(conditions.loss_back)}" if conditions.loss_back else "",
        f"traffic {conditions.streams}" if conditions.streams else "",
        *conditions.steps,
    ]
    return ", ".join(word for word in words if word) or "nothing"


def _fixed(rest: Conditions, axis: Axis) -> str:
    words = [each.show(each.of(rest)) for each in AXES if each is not axis and each.of(rest)]
    words += [f"delay {link_units.show_duration(rest.delay_s)}"] if rest.delay_s else []
    if rest.partitions > 1:
        words.append(f"{rest.partitions} partitions")
    if not rest.keys:
        words.append("no keys")
    if rest.streams:
        words.append(f"traffic {rest.streams}")
    words += [line.partition(".producer.")[2] or line for line in rest.lines]
    return ", ".join([*words, *rest.steps])


def twice_share(run: Run) -> float:
    """Say which part of what is in the target are copies, in per cent."""
    found = run.audit
    return 100 * found.duplicated / found.mirrored if found.mirrored else 0.0


def arrived_share(run: Run) -> float:
    """Say which part of the records has arrived, in per cent."""
    return 100 * run.audit.distinct / run.audit.produced if run.audit.produced else 0.0


def throughput(course: Sequence[Moment]) -> list[tuple[float, float]]:
    """Return how many different records arrived in a second, every second, over five each."""
    if not course:
        return []
    times = [moment.at_s for moment in course]

    def arrived(at_s: float) -> int:
        before = bisect_right(times, at_s)
        return course[before - 1].distinct if before else 0

    found = []
    for second in range(1, int(times[-1]) + 1):
        begin_s = max(0.0, second - _WINDOW_S)
        found.append((float(second), (arrived(second) - arrived(begin_s)) / (second - begin_s)))
    return found


def lag(course: Sequence[Moment]) -> list[tuple[float, int]]:
    """Return how many records were in the source and not in the target, over time."""
    return [(moment.at_s, moment.produced - moment.distinct) for moment in course]
