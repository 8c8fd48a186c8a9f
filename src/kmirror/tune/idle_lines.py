"""Lines of a file that nobody reads, or that are not judged: neither danger nor remedy."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.config.entry import Entry
from kmirror.config.keys.key import Scope
from kmirror.config.keys.table import CLIENT_NAMES, KEYS
from kmirror.config.load import MirrorLines
from kmirror.config.place import place_of
from kmirror.config.secret import HIDDEN
from kmirror.errors import Problem
from kmirror.tune.case import Case
from kmirror.tune.finding import Finding, Level, Line
from kmirror.tune.scenarios import Scenario

_TIMED = ("request.timeout.ms", "delivery.timeout.ms")
_WORKER = (Scope.WORKER, Scope.WORKER_OR_TOP)


def idle_lines(lines: MirrorLines) -> Iterator[Finding]:
    """
    Yield a note for each line without effect.

    Args:
        lines: The file.
    """
    for problem in lines.idle:
        yield _note(problem)
    targets = {flow.target for flow in lines.flows}
    sources = {flow.source for flow in lines.flows}
    for entry in lines.entries.values():
        place = place_of(entry.key, lines.aliases)
        if place.cluster is None:
            continue
        role, _, bare = place.name.partition(".")
        if place.cluster not in targets and _is_of_target(role, bare, place.name):
            yield _unreached(entry, f"no flow into {place.cluster} is switched on")
        elif place.cluster not in sources and role == "consumer" and bare not in CLIENT_NAMES:
            yield _unreached(entry, f"no flow out of {place.cluster} is switched on")


def hidden_lines(case: Case) -> Iterator[Finding]:
    """
    Yield a note for each setting whose value must not be shown.

    Args:
        case: The flow.
    """
    for section in (case.producer, case.consumer, case.worker, case.connector):
        for name in section.defaults.mm2:
            line = section.line(name)
            if line.value == HIDDEN:
                yield Finding(
                    level=Level.NOTE,
                    flow="",
                    lines=(line,),
                    says="not judged: its value comes from a reference, and is never shown",
                )


def _is_of_target(role: str, bare: str, name: str) -> bool:
    if role == "producer":
        return bare not in CLIENT_NAMES
    key = KEYS.get(name)
    return key is not None and key.scope in _WORKER


def _unreached(entry: Entry, why: str) -> Finding:
    return _note(entry.problem(f"has no effect on records: {why}"))


def _note(problem: Problem) -> Finding:
    return Finding(
        level=Level.NOTE,
        flow="",
        lines=(Line(key=problem.key, value=problem.value or "", where=problem.where),),
        says=problem.expected,
        scenario=Scenario.NO_EFFECT if problem.key.endswith(_TIMED) else None,
    )
