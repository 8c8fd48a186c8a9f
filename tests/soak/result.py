"""What a soak has seen, as a file that the page is made of."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """
    One fault.

    Args:
        number: Of its round.
        what: What happened.
        where: To whom.
        from_s: When it began, seconds since the start.
        until_s: When it was mended.
        recovered_s: How long the copy then took to have everything; `None` when it did not.
    """

    number: int
    what: str
    where: str
    from_s: float
    until_s: float
    recovered_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSample:
    """
    One process at one moment.

    Args:
        at_s: When, seconds since the start.
        name, pid: Which.
        rss_bytes: Its memory.
        files, threads: How many it has.
        live_bytes: Of a driver's JVM now and then: the heap in use when all else was collected.
        array_bytes: What arrays of bytes have of that.
    """

    at_s: float
    name: str
    pid: int
    rss_bytes: int
    files: int
    threads: int
    live_bytes: int | None = None
    array_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSample:
    """One flow at one moment: offsets copied since the start, and those not copied yet."""

    at_s: float
    flow: str
    copied: int
    lag: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One question that is asked at the end, and the answer."""

    good: bool
    question: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """
    A whole run.

    Args:
        command: What repeats it.
        seed: What decided its faults.
        began: Date and time.
        duration_s: How long faults came; comparing at the end takes more.
        machine: Where it ran.
        setup: Clusters, topics, producers and flows, in words.
        events, processes, flows, findings: What was seen.
    """

    command: str
    seed: int
    began: str
    duration_s: float
    machine: str
    setup: tuple[str, ...]
    events: list[Event] = field(default_factory=list)
    processes: list[ProcessSample] = field(default_factory=list)
    flows: list[FlowSample] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every answer is a good one."""
        return bool(self.findings) and all(finding.good for finding in self.findings)


def save(result: Result, file: Path) -> None:
    """Write a run."""
    file.write_text(json.dumps(asdict(result)) + "\n", encoding="utf-8")


def load(file: Path) -> Result:
    """Read what `save` has written."""
    fields = json.loads(file.read_text(encoding="utf-8"))
    lists = {
        "events": [Event(**each) for each in fields["events"]],
        "processes": [ProcessSample(**each) for each in fields["processes"]],
        "flows": [FlowSample(**each) for each in fields["flows"]],
        "findings": [Finding(**each) for each in fields["findings"]],
        "setup": tuple(fields["setup"]),
    }
    return Result(**(fields | lists))
