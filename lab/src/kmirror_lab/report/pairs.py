"""Runs of one mirror with one thing and without it: what the thing does, and what it does not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from kmirror_lab.duplicates.conditions import IDEMPOTENCE_KEY
from kmirror_lab.duplicates.result import Conditions, Peer, Run
from kmirror_lab.report.texts import NAMES, Text, code

_LATER_DELAY = re.compile(r"\d[\d.]* s: set delay \S+")
_IDEMPOTENT = f"{IDEMPOTENCE_KEY} = true"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thing:
    """
    What is there in some runs, and in others not.

    Args:
        name: What it is called behind "with".
        has: Whether it is there.
        without: Gives the conditions without it.
    """

    name: Text
    has: Callable[[Conditions], bool]
    without: Callable[[Conditions], Conditions]


def with_and_without(runs: Sequence[Run]) -> Iterator[Text]:
    """Compare runs that differ in one thing alone, where that says something."""
    for with_keys, bare in _pairs(runs, _KEYS):
        # Only copies that are there in spite of keys say what keys do not do.
        if with_keys.audit.duplicated:
            name = NAMES[with_keys.peer]
            yield Text(
                f"Keys do not help: {name} wrote {_twice(with_keys).en} with keys, and "
                f"{_twice(bare).en} without.",
                f"键不起作用：{name} 在有键时{_twice(with_keys).zh}，无键时{_twice(bare).zh}。",
            )
    for thing in _THINGS:
        for having, lacking in _pairs(runs, thing):
            if having.audit.duplicated or lacking.audit.duplicated:
                name = NAMES[having.peer]
                yield Text(
                    f"{name}, all else the same: with {thing.name.en} it wrote "
                    f"{_twice(having).en}{_end(having).en}; without, "
                    f"{_twice(lacking).en}{_end(lacking).en}.",
                    f"{name}，其他条件相同：有{thing.name.zh}时"
                    f"{_twice(having).zh}{_end(having).zh}；没有时"
                    f"{_twice(lacking).zh}{_end(lacking).zh}。",
                )


def _pairs(runs: Sequence[Run], thing: _Thing) -> Iterator[tuple[Run, Run]]:
    """Yield for each mirror and all else the first run with the thing, and the first without."""
    groups: dict[tuple[Peer, int, Conditions], dict[bool, Run]] = {}
    for run in runs:
        rest = thing.without(replace(run.conditions, asked="", changes=()))
        group = groups.setdefault((run.peer, run.audit.produced, rest), {})
        group.setdefault(thing.has(run.conditions), run)
    for group in groups.values():
        if len(group) == 2:
            yield group[True], group[False]


def _twice(run: Run) -> Text:
    count, where = run.audit.duplicated, code(run.scenario)
    if not count:
        return Text(f"no record twice ({where})", f"没有重复记录（{where}）")
    records = "record" if count == 1 else "records"
    return Text(f"{count:,} {records} twice ({where})", f"重复写入 {count:,} 条记录（{where}）")


def _end(run: Run) -> Text:
    return Text(" and died", "并自行终止") if run.died else Text("", "")


def _step(name: Text, has: Callable[[str], bool]) -> _Thing:
    """Describe what is a step, or some."""

    def without(given: Conditions) -> Conditions:
        return replace(given, steps=tuple(step for step in given.steps if not has(step)))

    return _Thing(name=name, has=lambda given: any(map(has, given.steps)), without=without)


def _without_idempotence(given: Conditions) -> Conditions:
    lines = (line for line in given.lines if not line.startswith(f"{IDEMPOTENCE_KEY} = "))
    return replace(given, lines=tuple(lines))


_KEYS = _Thing(
    name=Text("keys", "键"),
    has=lambda given: given.keys,
    without=lambda given: replace(given, keys=True),
)
_THINGS = (
    _Thing(
        name=Text("an idempotent producer", "幂等生产者"),
        has=lambda given: _IDEMPOTENT in given.lines,
        without=_without_idempotence,
    ),
    _Thing(
        name=Text("others' traffic on the line", "其他流量占用线路"),
        has=lambda given: given.streams > 0,
        without=lambda given: replace(given, streams=0),
    ),
    _step(Text("a delay that jumps", "延迟跳变"), lambda step: bool(_LATER_DELAY.fullmatch(step))),
    _step(Text("jitter", "抖动"), lambda step: step.startswith("jitter ")),
    _step(Text("a bucket that was set", "设定的令牌桶"), lambda step: step.startswith("bucket ")),
)
