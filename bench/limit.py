"""What a catch-up leaves to the target's own producers, and whether a limit is kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster, started
from kmirror_lab.process import process

from bench.arena import Arena
from bench.contestant import KMIRROR, KMIRROR_RECORDS, MM2_TUNED, Contestant, Program
from bench.growth import Growth
from bench.load import Load
from bench.pause import pass_time
from bench.quantiles import Quantiles, quantiles
from bench.worker import read_pairs
from bench.workload import Workload, count_records
from kmirror.clock import Clock

_CONTESTANTS = (MM2_TUNED, KMIRROR, KMIRROR_RECORDS)
_OWN_TOPIC = "bench-own"
_OWN_PARTITIONS = 4
_OWN_RATE = 1_000
_ALONE_S = 10.0
_END_S_MAX = 120.0
_COPY_S_MAX = 900.0
_NS = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyBeside:
    """
    A copy of a backlog, beside the target's own producers.

    Args:
        bytes_per_s: Its rate, in bytes as the batches lie in the source.
        waits_ms: How long the producers waited for an answer meanwhile.
        limit_bytes_per_s: The limit for the whole flow; `None` when there was none.
        bystanders_ms: How long producers of a third cluster waited, which has no part in the copy:
            what a busy machine costs them. `None` where it was not measured.
    """

    bytes_per_s: float
    waits_ms: Quantiles
    limit_bytes_per_s: int | None = None
    bystanders_ms: Quantiles | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRun:
    """
    A contestant copied a backlog as fast as it could, and then at half that rate.

    Args:
        contestant: Its name.
        alone_ms: How long the target's own producers wait for an answer while nothing is copied.
        free: The copy without a limit.
        limited: The copy with one; `None` for MirrorMaker 2, which has none.
    """

    contestant: str
    alone_ms: Quantiles
    free: CopyBeside
    limited: CopyBeside | None = None

    @property
    def off_limit_percent(self) -> float | None:
        """How far the rate was from the limit, above or below it."""
        if self.limited is None or self.limited.limit_bytes_per_s is None:
            return None
        return abs(100 * self.limited.bytes_per_s / self.limited.limit_bytes_per_s - 100)


def run_limit(
    folder: Path,
    workload: Workload,
    *,
    runs: int,
    clock: Clock,
    tell: Callable[[str], None],
) -> Iterator[LimitRun]:
    """
    Copy a backlog without and with a limit, beside producers that write to the target.

    Args:
        folder: For clusters and logs.
        workload: The backlog.
        runs: How often.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    tell("limit: starting clusters")
    place = folder / "limit"
    bystander = Cluster("bystander", place)
    with Arena(place) as arena, started(bystander):
        workload.write(arena.source)
        stored = sum(
            segment.stat().st_size for segment in place.rglob(f"{workload.topic}-[0-9]*/*.log")
        )
        for cluster in (arena.target, bystander):
            cluster.create_topic(_OWN_TOPIC, partitions=_OWN_PARTITIONS)
        copies = _Copies(arena, bystander, workload, stored, folder, clock)
        copies.alone()  # brokers that are just started answer slowly
        for number in range(runs):
            for contestant in _CONTESTANTS:
                tell(f"limit, run {number + 1} of {runs}: {contestant.label}")
                alone_ms = copies.alone()
                free = copies.copy(contestant)
                has_limits = contestant.program is Program.KMIRROR
                yield LimitRun(
                    contestant=contestant.name,
                    alone_ms=alone_ms,
                    free=free,
                    limited=copies.limited(contestant, free) if has_limits else None,
                )


def steps(*, runs: int) -> int:
    """Say how many results there will be."""
    return runs * len(_CONTESTANTS)


@dataclass(frozen=True, slots=True)
class _Copies:
    """Copies of one backlog, with producers beside them."""

    arena: Arena
    bystander: Cluster
    workload: Workload
    stored: int
    folder: Path
    clock: Clock

    def alone(self) -> Quantiles:
        """Measure the producers while nothing is copied."""
        with ExitStack() as running:
            answers, _ = self._produce(running)
            begin_ns = time.time_ns()
            pass_time(self.clock, _ALONE_S)
            end_ns = time.time_ns()
        return _waits_ms(answers, begin_ns, end_ns)

    def limited(self, contestant: Contestant, free: CopyBeside) -> CopyBeside:
        """Copy all of it with half of the rate that it takes freely as the limit."""
        limit = int(free.bytes_per_s / 2)
        line = f"{{source}}->{{target}}.kmirror.flow.limit.bytes.per.second = {limit}"
        copied = self.copy(replace(contestant, lines=(*contestant.lines, line)))
        return replace(copied, limit_bytes_per_s=limit)

    def copy(self, contestant: Contestant) -> CopyBeside:
        """Copy all of it."""
        arena, workload = self.arena, self.workload
        mirror, flow = arena.enter(contestant)
        copy = f"{flow.source}.{workload.topic}"

        def count() -> int:
            return count_records(arena.target, copy, workload.partitions)

        with arena.target_admin() as admin, ExitStack() as running, mirror:
            answers, bystanders = self._produce(running)
            growth = Growth(admin, copy, workload.partitions, self.clock)
            mirror.start()
            course = growth.follow(workload.records, count, mirror.check, timeout_s=_COPY_S_MAX)
            now_ns, now_s = time.time_ns(), self.clock.monotonic_s()
            mirror.stop()
        begin_ns, end_ns = (
            now_ns - int((now_s - at_s) * _NS) for at_s in (course.begin_s, course.end_s)
        )
        record_bytes = self.stored / workload.records
        return CopyBeside(
            bytes_per_s=course.rate(workload.records) * record_bytes,
            waits_ms=_waits_ms(answers, begin_ns, end_ns),
            bystanders_ms=_waits_ms(bystanders, begin_ns, end_ns),
        )

    def _produce(self, running: ExitStack) -> tuple[Path, Path]:
        """
        Let producers write to the target and to the third cluster until *running* ends.

        Returns:
            What those of the target and of the third cluster note.
        """
        return (
            self._produce_to(self.arena.target, running),
            self._produce_to(self.bystander, running),
        )

    def _produce_to(self, cluster: Cluster, running: ExitStack) -> Path:
        answers = self.folder / f"own-answers-{cluster.name}.bin"
        answers.unlink(missing_ok=True)
        load = Load(
            bootstrap=cluster.bootstrap,
            topic=_OWN_TOPIC,
            partitions=_OWN_PARTITIONS,
            rate=_OWN_RATE,
            answers=answers,
        )
        writer = load.start(self.folder / f"own-{cluster.name}.log")
        running.callback(lambda: process.end(writer, timeout_s=_END_S_MAX))
        return answers


def _waits_ms(answers: Path, begin_ns: int, end_ns: int) -> Quantiles:
    pairs = read_pairs(answers)
    return quantiles([(answered - at) / 1e6 for at, answered in pairs if begin_ns <= at <= end_ns])
