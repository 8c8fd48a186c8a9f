"""Ten thousand topics of one partition each: plans, what resting costs, and one of them paused."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.cluster.mirror import KMIRROR_PROGRAM, Mirror
from kmirror_lab.process.waiting import wait_until

from bench.arena import Arena
from bench.contestant import KMIRROR_4_SLOTS
from bench.first_records import create_topics, wait_until_known, write_first_records
from bench.pause import pass_time
from bench.usage import cpu_between_s, sample
from kmirror.admin.client import KafkaAdmin
from kmirror.cli.exits import Exit
from kmirror.clock import Clock
from kmirror.errors import EnvironmentProblem
from kmirror.model import Flow, TopicPartition
from kmirror.plans.topics import NewTopic

_TOPICS = 10_000
_TOPICS_MIN = 20
_PREFIX = "bench-many-"
_REQUEST_BYTES_MAX = 2**20
_CONFIG = {
    # See `bench.partitions`.
    "log.index.size.max.bytes": str(64 * 1024),
    # A larger request ends its connection, and the broker says so.
    "socket.request.max.bytes": str(_REQUEST_BYTES_MAX),
}
_REFUSED = "InvalidReceiveException"
_COMMAND_S_MAX = 900.0
_COPIED_S_MAX = 900.0
_LOOK_EVERY_S = 2.0
# The JVM compiles what it runs often; topics' settings are compared for the first time.
_SETTLE_S = 60.0
_STEADY_S, _STEADY_S_MIN = 180.0, 20.0
_HELD_S = 3.0
_PAUSES = 5
_SHOWN = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyTopicsRun:
    """
    kmirror mirrored very many small topics.

    Args:
        topics: How many, of one partition each.
        plan_s: `kmirror plan` where the target has none of them, seconds.
        apply_s: `kmirror apply`, which creates them.
        plan_again_s: `kmirror plan` where nothing is left to do.
        copied_s: From the driver's start until a record of each topic is committed on the target.
        steady_s: How long nothing was written then.
        control_cpu_share: What the control plane (the Python process) took meanwhile, cores.
        cpu_share: The same of all of kmirror's processes.
        peak_rss_bytes: The memory of all of them at the end.
        pause_s: The longest time until a driver obeyed an order about one of the topics.
        refused_requests: Requests above 1 MiB, which the brokers refuse here.
    """

    topics: int
    plan_s: float
    apply_s: float
    plan_again_s: float
    copied_s: float
    steady_s: float
    control_cpu_share: float
    cpu_share: float
    peak_rss_bytes: int
    pause_s: float
    refused_requests: int

    @property
    def label(self) -> str:
        """Its name, short."""
        return f"{self.topics}x1"


def run_many_topics(
    folder: Path, *, scale: float, clock: Clock, tell: Callable[[str], None]
) -> Iterator[ManyTopicsRun]:
    """
    Measure kmirror with very many topics.

    Args:
        folder: For clusters and logs.
        scale: The part of the topics and of the time that is used.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    names = [f"{_PREFIX}{number}" for number in range(max(_TOPICS_MIN, int(_TOPICS * scale)))]
    place = folder / "many-topics"
    with Arena(place, config=_CONFIG) as arena:
        tell(f"{len(names):,} topics: creating them")
        with arena.source_admin() as admin:
            new = [NewTopic(name=name, partitions=1, replication_factor=1) for name in names]
            create_topics(admin, new)
        write_first_records(arena.source, [TopicPartition(name, 0) for name in names])
        mirror, flow = arena.enter(KMIRROR_4_SLOTS)
        with mirror:
            yield _Measurement(arena, mirror, flow, names, place, clock, tell).run(scale)


@dataclass(frozen=True, slots=True)
class _Measurement:
    arena: Arena
    mirror: Mirror
    flow: Flow
    names: Sequence[str]
    place: Path
    clock: Clock
    tell: Callable[[str], None]

    def run(self, scale: float) -> ManyTopicsRun:
        """Do one thing after the other."""
        file = self.arena.write_file(KMIRROR_4_SLOTS, self.place)
        plan_s = self._command("plan", file, code=Exit.DIFFERENT)
        apply_s = self._command("apply", file)
        self._wait_for_copies()
        plan_again_s = self._command("plan", file)
        self.tell(f"{len(self.names):,} topics: a record of each")
        copied_s = self._copy()
        steady_s = max(_STEADY_S_MIN, _STEADY_S * scale)
        pass_time(self.clock, max(_STEADY_S_MIN, _SETTLE_S * scale))
        self.tell(f"{len(self.names):,} topics: at rest for {steady_s:g} s")
        began_s, control_s = self.clock.monotonic_s(), self.mirror.usage().cpu_s
        before = sample([self.mirror.process], self.clock)
        pass_time(self.clock, steady_s)
        took_s = self.clock.monotonic_s() - began_s
        control_s = self.mirror.usage().cpu_s - control_s
        after = sample([self.mirror.process], self.clock)
        cpu_s = cpu_between_s([before, after], before.at_s, after.at_s)
        self.tell(f"{len(self.names):,} topics: one of them is paused")
        pause_s = max(self._pause(file, self.names[number]) for number in range(_PAUSES))
        self.mirror.check()
        self.mirror.stop()
        return ManyTopicsRun(
            topics=len(self.names),
            plan_s=plan_s,
            apply_s=apply_s,
            plan_again_s=plan_again_s,
            copied_s=copied_s,
            steady_s=took_s,
            control_cpu_share=control_s / took_s,
            cpu_share=cpu_s / (after.at_s - before.at_s),
            peak_rss_bytes=after.rss_bytes,
            pause_s=pause_s,
            refused_requests=sum(map(_refused, (self.arena.source, self.arena.target))),
        )

    def _command(self, verb: str, file: Path, *, code: Exit = Exit.OK) -> float:
        """Run a command of kmirror's; give how long it took, seconds."""
        self.tell(f"{len(self.names):,} topics: kmirror {verb}")
        began_s = self.clock.monotonic_s()
        self._run(verb, str(file), "--json", code=code)
        return self.clock.monotonic_s() - began_s

    def _run(self, *words: str, code: Exit = Exit.OK) -> str:
        done = subprocess.run(
            [*KMIRROR_PROGRAM, *words],
            capture_output=True,
            text=True,
            timeout=_COMMAND_S_MAX,
            check=False,
        )
        if done.returncode != code:
            raise EnvironmentProblem(
                f"kmirror {words[0]} ended with {done.returncode}: {done.stderr}\n"
                f"{done.stdout[:_SHOWN]}"
            )
        return done.stdout

    def _wait_for_copies(self) -> None:
        with self.arena.target_admin() as admin:
            wait_until_known(admin, [self._place(name).topic for name in self.names])

    def _copy(self) -> float:
        began_s = self.clock.monotonic_s()
        places = [self._place(name) for name in self.names]
        with self.arena.target_admin() as admin:
            self.mirror.start()
            wait_until(
                lambda: self._runs() and all(_ends(admin, places).values()),
                "a record of each topic is copied",
                timeout_s=_COPIED_S_MAX,
                pause_s=_LOOK_EVERY_S,
            )
        return self.clock.monotonic_s() - began_s

    def _pause(self, file: Path, name: str) -> float:
        """Pause a topic, see that it is held, and let it go; give the longer time, seconds."""
        order = (str(file), str(self.flow), name, "--json")
        paused_s = _took_s(self._run("pause", *order))
        place = self._place(name)
        with self.arena.target_admin() as admin:
            before = _ends(admin, [place])
            write_first_records(self.arena.source, [TopicPartition(name, 0)])
            pass_time(self.clock, _HELD_S)
            assert _ends(admin, [place]) == before, f"{name} is not held"
            resumed_s = _took_s(self._run("resume", *order))
            wait_until(
                lambda: _ends(admin, [place]) != before,
                f"{name} goes on",
                timeout_s=_COPIED_S_MAX,
                pause_s=0.1,
            )
        return max(paused_s, resumed_s)

    def _place(self, name: str) -> TopicPartition:
        return TopicPartition(f"{self.flow.source}.{name}", 0)

    def _runs(self) -> bool:
        self.mirror.check()
        return True


def _ends(admin: KafkaAdmin, places: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
    return dict(admin.offsets(places, isolation="read_committed"))


def _took_s(answer: str) -> float:
    effect = json.loads(answer)["effect"]
    assert effect["generation"] is not None, "no driver has obeyed"
    return float(effect["took_s"])


def _refused(cluster: Cluster) -> int:
    return sum(broker.log.read_text(errors="replace").count(_REFUSED) for broker in cluster.brokers)
