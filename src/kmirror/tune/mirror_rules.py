"""What the mirror's own settings do: positions, commits, tasks."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.tune.case import Case
from kmirror.tune.finding import KMIRROR_ONLY, MM2_ONLY, Finding, Level
from kmirror.tune.link_units import rate_text, time_text
from kmirror.tune.scenarios import Scenario

_FLUSH = "offset.flush.interval.ms"
_FLUSH_MS = 10_000
_EXACTLY_ONCE = "kmirror.exactly.once"
_COMMIT = "kmirror.commit.interval.ms"
_COMMIT_MS_MAX = 60_000  # the key's own limit
_ROUND_TRIPS = 3  # of a commit: positions, end, and the acknowledgements before it
_MANY_PARTITIONS = 16
_TASKS = 4
_FAST_BYTES_S = 12.5e6  # 100 Mbit/s: below it a second task waits for the same link


def killed_worker(case: Case) -> Iterator[Finding]:
    """Positions that are written now and then are old when the worker dies."""
    if case.transactional:
        return
    interval_ms = case.worker.number(_FLUSH)
    if interval_ms is None:
        return
    source, target = case.flow.source, case.flow.target
    yield Finding(
        level=Level.WARNING,
        flow=str(case.flow),
        lines=(case.worker.line(_FLUSH), case.worker.line("exactly.once.source.support")),
        says=f"a worker that dies repeats what it copied in the last {time_text(interval_ms)}, "
        "whatever else is set",
        why="at least once, by design. A shorter interval repeats less; nothing twice needs "
        f"{target}.exactly.once.source.support = enabled (first `preparing` where several nodes "
        f"run), dedicated.mode.enable.internal.rest = true and {source}.consumer.isolation.level "
        "= read_committed",
        instead=(case.worker.setting(_FLUSH, _FLUSH_MS),) if interval_ms > _FLUSH_MS else (),
        scenario=Scenario.KILLED_WORKER,
        kmirror="repeats what it copied since its last commit"
        if _at_least_once(case)
        else "no effect: positions and records are one transaction, so nothing is repeated",
        concerns=MM2_ONLY,
    )


def at_least_once(case: Case) -> Iterator[Finding]:
    """Note a choice of the file, without advice."""
    if not _at_least_once(case):
        return
    yield Finding(
        level=Level.NOTE,
        flow=str(case.flow),
        lines=(case.connector.line(_EXACTLY_ONCE), case.connector.line(_COMMIT)),
        says="a driver that dies repeats what it copied since its last commit",
        concerns=KMIRROR_ONLY,
    )


def _at_least_once(case: Case) -> bool:
    return (case.connector.text(_EXACTLY_ONCE) or "").lower() == "false"


def commit_interval(case: Case) -> Iterator[Finding]:
    """Judge the commit interval: a transaction should last longer than its commit takes."""
    rtt_ms, interval_ms = case.measured.target.rtt_ms, case.connector.kmirror_number(_COMMIT)
    if rtt_ms is None or interval_ms is None or interval_ms >= _ROUND_TRIPS * rtt_ms:
        return
    steps = -(-_ROUND_TRIPS * rtt_ms // 50)
    better = min(_COMMIT_MS_MAX, int(steps) * 50)
    if better <= interval_ms:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=(case.connector.line(_COMMIT),),
        says=f"a commit takes about {_ROUND_TRIPS} round trips of {time_text(rtt_ms)} to "
        f"{case.flow.target}, longer than the {time_text(interval_ms)} between two",
        why="transactions queue behind each other's commits; a longer interval delays no record "
        "for read_committed consumers, and brokers write fewer markers",
        instead=(case.connector.setting(_COMMIT, better),),
        concerns=KMIRROR_ONLY,
    )


def tasks(case: Case) -> Iterator[Finding]:
    """More tasks than partitions idle; one task for many partitions is one core's work."""
    number, partitions = case.connector.number("tasks.max"), case.measured.partitions
    slots = case.connector.kmirror_number("kmirror.slots")
    if number is None or not partitions:
        return
    rates = [end.bytes_per_s for end in (case.measured.source, case.measured.target)]
    slowest = min((rate for rate in rates if rate is not None), default=None)
    slow = slowest is not None and slowest < _FAST_BYTES_S
    if max(number, slots or 0) > partitions:
        names = [
            n for n, v in (("tasks.max", number), ("kmirror.slots", slots or 0)) if v > partitions
        ]
        says, instead = (
            f"there are {partitions} partitions: the others have nothing to do",
            partitions,
        )
    elif number == 1 and partitions >= _MANY_PARTITIONS and not slow:
        names, instead = ["tasks.max"], _TASKS
        says = f"one task copies {partitions} partitions"
    else:
        return
    yield Finding(
        level=Level.ADVICE,
        flow=str(case.flow),
        lines=tuple(case.connector.line(name) for name in names),
        says=says,
        why="a task is one thread with a consumer and a producer; it needs a core and memory, and "
        "has its own connections"
        + (
            f". More do not help a link of {rate_text(slowest)}, unless that is what lost packets "
            "leave of it for one connection"
            if slow and slowest
            else ""
        ),
        instead=tuple(case.connector.setting(name, instead) for name in names),
        concerns=case.connector.concerns(*names),
        kmirror="tasks.max above 1 is the number of slots, unless kmirror.slots gives it; by "
        "default one for every two cores, at most 4",
    )


MIRROR_RULES = (killed_worker, at_least_once, commit_interval, tasks)
