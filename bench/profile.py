"""
`python -m bench.profile`: what kmirror's processor time is used for while it copies.

Prints processor seconds by thread, and draws the stacks of the threads that copy.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from bench.arena import Arena
from bench.contestant import CONTESTANTS, KMIRROR, Contestant
from bench.flame import read_stacks, recording_options, save_flame
from bench.growth import Course, Growth
from bench.sampler import Sampler
from bench.threads import ThreadTimes, thread_times
from bench.workload import WORKLOADS, Workload, count_records
from kmirror.clock import SystemClock

_COPY_S_MAX = 900.0
_LOOK_S = 0.05
_THREADS = {
    "the lane: fetch, Spark's rows, send": "Executor task",
    "the producer's network thread": "kafka-producer-network-thread",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """
    One copy.

    Args:
        course: When it began and ended.
        times: Looks at the threads meanwhile.
        recording: The JVM's own.
    """

    course: Course
    times: list[ThreadTimes]
    recording: Path

    def between(self, what: Callable[[ThreadTimes], dict[str, float]]) -> dict[str, float]:
        """Give the seconds that were used in the copy, by what the threads do."""
        inside = [
            each for each in self.times if self.course.begin_s <= each.at_s <= self.course.end_s
        ]
        first, last = what(inside[0]), what(inside[-1])
        return {kind: last[kind] - first.get(kind, 0.0) for kind in last}


def main(
    workload: Annotated[str, typer.Option(help="What is copied.")] = "bench-1000",
    contestant: Annotated[str, typer.Option(help="Who copies it.")] = KMIRROR.name,
    picture: Annotated[Path, typer.Option(help="The flame graph.")] = Path("flame.png"),
) -> None:
    """Profile one copy; leave the machine alone meanwhile."""
    chosen = next(each for each in WORKLOADS if each.topic == workload)
    who = next(each for each in CONTESTANTS if each.name == contestant)
    folder = Path(tempfile.mkdtemp(prefix="kmirror-profile-"))
    try:
        with Arena(folder) as arena:
            chosen.write(arena.source)
            profile = _copy(arena, who, chosen, folder / "copy.jfr")
        _print_threads(profile)
        clock = SystemClock()
        now, now_s = datetime.now(UTC), clock.monotonic_s()
        begin, end = (
            now - timedelta(seconds=now_s - at_s)
            for at_s in (profile.course.begin_s, profile.course.end_s)
        )
        stacks = {
            name: read_stacks(profile.recording, thread=thread, begin=begin, end=end)
            for name, thread in _THREADS.items()
        }
        save_flame(stacks, picture, f"{who.label}: {chosen.label}")
        sys.stdout.write(f"picture: {picture}\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(arena: Arena, contestant: Contestant, workload: Workload, recording: Path) -> Profile:
    clock = SystemClock()
    arena.settle()
    mirror, flow = arena.enter(contestant, environ=recording_options(recording))
    copy = f"{flow.source}.{workload.topic}"

    def count() -> int:
        return count_records(arena.target, copy, workload.partitions)

    with arena.target_admin() as admin, mirror:
        growth = Growth(admin, copy, workload.partitions, clock)
        mirror.start()
        with Sampler(
            lambda: thread_times(mirror.process, clock), clock, pause_s=_LOOK_S
        ) as sampler:
            course = growth.follow(workload.records, count, mirror.check, timeout_s=_COPY_S_MAX)
        mirror.stop()
    return Profile(course=course, times=sampler.samples, recording=recording)


def _print_threads(profile: Profile) -> None:
    user = profile.between(lambda times: dict(times.user_s))
    system = profile.between(lambda times: dict(times.system_s))
    sys.stdout.write(f"{profile.course.end_s - profile.course.begin_s:.2f} s\n")
    for kind in sorted(user, key=lambda kind: -user[kind] - system[kind]):
        sys.stdout.write(f"{user[kind]:6.2f} s user {system[kind]:6.2f} s system  {kind}\n")
    total = sum(user.values()), sum(system.values())
    sys.stdout.write(f"{total[0]:6.2f} s user {total[1]:6.2f} s system  all\n")


if __name__ == "__main__":
    typer.run(main)
