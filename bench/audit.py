"""What an audit costs: of everything, and for as long as it goes on beside a copy."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.cluster.mirror import KMIRROR_PROGRAM, Mirror
from kmirror_lab.process import process
from kmirror_lab.process.waiting import wait_until

from bench import catch_up
from bench.arena import Arena
from bench.contestant import KMIRROR
from bench.usage import UsageMeter, sample
from bench.workload import Workload
from kmirror.clock import Clock
from kmirror.config.audit import AuditConfig
from kmirror.errors import EnvironmentProblem

_END_S_MAX = 7200.0
_GB = 1e9
# Java has compiled by then what runs all the time.
_SETTLE_S = 60.0
_REST_S = 120.0
_START_S_MAX = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRun:
    """
    An audit of one workload, as fast as it can.

    Args:
        workload: Its topic.
        total_s: How long it took, without its start.
        cpu_s_per_gb: Processor seconds for a gigabyte (10^9) of values, without its start.
        copy_cpu_s_per_gb: The same of the copy before it.
        start_cpu_s: Processor seconds of an audit that finds nothing new.
        peak_rss_bytes: The most memory of all its processes at one moment.
    """

    workload: str
    total_s: float
    cpu_s_per_gb: float
    copy_cpu_s_per_gb: float
    start_cpu_s: float
    peak_rss_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditBeside:
    """
    A driver that audits at its usual rate.

    Args:
        workload: What it audits.
        rate: Bytes a second of each cluster, at most.
        cores: What the driver takes more than one that rests.
        copy_cores: What the copy of the workload took, while it copied.
    """

    workload: str
    rate: int
    cores: float
    copy_cores: float

    @property
    def share(self) -> float:
        """How much processor time it adds to that of a copy, a part of it."""
        return self.cores / self.copy_cores


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cost:
    """What a command has cost."""

    total_s: float
    cpu_s: float
    peak_rss_bytes: int


def run_audit(
    folder: Path, workload: Workload, *, clock: Clock, tell: Callable[[str], None]
) -> Iterator[AuditRun | AuditBeside]:
    """
    Copy a workload, audit all of it, and let a driver audit it as it does by itself.

    Args:
        folder: For clusters and logs.
        workload: What is copied.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    place = folder / "audit"
    tell("audit: starting clusters")
    with Arena(place) as arena:
        workload.write(arena.source)
        tell(f"audit: copying {workload.label}")
        copied = catch_up.copy(arena, KMIRROR, workload, clock)
        file, audited = arena.write_file(KMIRROR, place), place / "audited.properties"
        enabled = f"{arena.flow}.kmirror.audit.enabled = true\n"
        audited.write_text(file.read_text(encoding="utf-8") + enabled, encoding="utf-8")
        gb = workload.bytes / _GB

        def cost(*command: str) -> _Cost:
            return _cost_of(command, place, clock)

        tell("audit: a driver at rest, and one that audits")
        rest_cores = _cores_of(file, place, clock)
        audit_cores = _cores_of(audited, place, clock)
        yield AuditBeside(
            workload=workload.topic,
            rate=AuditConfig().bytes_per_second,
            cores=max(0.0, audit_cores - rest_cores),
            copy_cores=copied.cpu_s_per_gb * copied.bytes_per_s / _GB,
        )
        tell("audit of everything")
        cost("audit", "run", str(file), "--rate", "0")
        idle = cost("audit", "run", str(file))
        found = cost("audit", "run", str(file), "--again", "--rate", "0")
        yield AuditRun(
            workload=workload.topic,
            total_s=max(0.0, found.total_s - idle.total_s),
            cpu_s_per_gb=max(0.0, found.cpu_s - idle.cpu_s) / gb,
            copy_cpu_s_per_gb=copied.cpu_s_per_gb,
            start_cpu_s=idle.cpu_s,
            peak_rss_bytes=found.peak_rss_bytes,
        )


def steps() -> int:
    """Say how many results there will be."""
    return 2


def _cores_of(file: Path, place: Path, clock: Clock) -> float:
    """Give what a driver takes of the processor when it has nothing to copy, in cores."""
    mirror = Mirror(
        "kmirror", lambda: [*KMIRROR_PROGRAM, "run", file], log=place / f"{file.stem}.log"
    )
    never = threading.Event()
    with mirror:
        mirror.start()
        wait_until(
            lambda: "plan 1: " in mirror.log_text(), "kmirror copies", timeout_s=_START_S_MAX
        )
        clock.wait(never, _SETTLE_S)
        before = sample([mirror.process], clock)
        clock.wait(never, _REST_S)
        mirror.check()
        after = sample([mirror.process], clock)
        mirror.stop()
    return (after.cpu_s - before.cpu_s) / (after.at_s - before.at_s)


def _cost_of(command: tuple[str, ...], place: Path, clock: Clock) -> _Cost:
    log = place / "audit.log"
    began_s = clock.monotonic_s()
    running = process.start([*KMIRROR_PROGRAM, *command], log=log)
    with UsageMeter([running], clock) as usage:
        ended = process.wait_end(running, timeout_s=_END_S_MAX)
    if not ended:
        process.kill(running)
        raise EnvironmentProblem(f"kmirror {command[0]} did not end within {_END_S_MAX:g} s")
    return _Cost(
        total_s=clock.monotonic_s() - began_s,
        cpu_s=max(each.cpu_s for each in usage.samples),
        peak_rss_bytes=usage.peak_rss_bytes,
    )
