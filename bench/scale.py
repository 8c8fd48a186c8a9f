"""What kmirror costs by how many partitions and flows there are: CPU, memory, requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from kmirror_lab.cluster.mirror import Mirror
from kmirror_lab.process.waiting import wait_until

from bench.arena import Arena
from bench.broker_requests import count_requests
from bench.contestant import KMIRROR, mirror_of
from bench.first_records import create_topics, write_first_records
from bench.load import Load
from bench.partitions import SMALL_INDEXES, PartitionsRun, run_taken
from bench.pause import pass_time
from bench.scale_case import (
    Cost,
    ScaleCase,
    ScaleRun,
    Shape,
    cases,
    file_text,
    flows_of,
    topic_of,
)
from bench.usage import UsageMeter, cpu_between_s, thread_count
from bench.worker import wait_worker
from kmirror.admin.client import KafkaAdmin
from kmirror.clock import Clock
from kmirror.model import TopicPartition
from kmirror.plans.topics import NewTopic

_START_S_MAX = 900.0
_LOOK_EVERY_S, _LOOK_AT_MANY_EVERY_S = 0.2, 2.0
_MANY_PARTITIONS = 2_000
# The JVM compiles what it runs often; topics' settings are compared for the first time.
_SETTLE_S, _REST_S, _BUSY_S = 60.0, 120.0, 60.0
_SECONDS_MIN = 10.0
_RATE = 1_000
_GRACE_S = 60.0


def steps(shapes: Sequence[Shape], scale: float) -> int:
    """Say how many results there will be."""
    return len(cases(shapes, scale)) + (Shape.TAKEN in shapes)


def run_scale(
    folder: Path,
    shapes: Sequence[Shape],
    *,
    scale: float,
    clock: Clock,
    tell: Callable[[str], None],
) -> Iterator[ScaleRun | PartitionsRun]:
    """
    Measure one process with more and more flows, and one flow with more and more partitions.

    Args:
        folder: For clusters and logs.
        shapes: By what.
        scale: The part of the partitions, flows and time that is used.
        clock: Where time comes from.
        tell: Gets what is being done.
    """
    wanted = cases(shapes, scale)
    if wanted:
        tell("scale: starting clusters")
        with Arena(folder / "scale", config=SMALL_INDEXES) as arena:
            for number, case in enumerate(wanted, start=1):
                place = folder / f"scale-{case.shape}-{case.label}"
                yield _Measurement(
                    arena, case, number, place=place, scale=scale, clock=clock, tell=tell
                ).run()
    if Shape.TAKEN in shapes:
        yield run_taken(folder / "scale-taken", scale=scale, clock=clock, tell=tell)


class _Measurement:
    """One case."""

    def __init__(
        self,
        arena: Arena,
        case: ScaleCase,
        number: int,
        *,
        place: Path,
        scale: float,
        clock: Clock,
        tell: Callable[[str], None],
    ) -> None:
        self._arena = arena
        self._case = case
        self._flows = flows_of(case, number)
        self._place = place
        self._scale = scale
        self._clock = clock
        self._tell = tell
        self._mirror: Mirror
        self._usage: UsageMeter
        self._brokers_usage: UsageMeter

    def run(self) -> ScaleRun:
        """Do one thing after the other."""
        self._say("a record of each partition")
        self._arena.clear()
        self._begin()
        source, target = self._arena.source.bootstrap, self._arena.target.bootstrap
        text = file_text(self._case, self._flows, source_bootstrap=source, target_bootstrap=target)
        # Heartbeats of all pairs of a hundred clusters would be ten thousand a second.
        contestant = replace(KMIRROR, options=("--clusters", self._flows[0].target))
        with mirror_of(contestant, text, self._place) as self._mirror:
            began_s = self._clock.monotonic_s()
            self._mirror.start()
            with (
                UsageMeter([self._mirror.process], self._clock) as self._usage,
                UsageMeter(self._arena.brokers(), self._clock) as self._brokers_usage,
            ):
                self._wait_for_copies()
                start_s = self._clock.monotonic_s() - began_s
                pass_time(self._clock, self._seconds(_SETTLE_S))
                self._say("at rest")
                rest = self._cost(self._seconds(_REST_S), partial(pass_time, self._clock))
                threads = thread_count([self._mirror.process])
                self._say(f"at {_RATE:,} records/s")
                busy = self._cost(self._seconds(_BUSY_S), self._load)
            self._mirror.check()
            self._mirror.stop()
        return ScaleRun(
            shape=self._case.shape,
            flows=self._case.flows,
            partitions=self._case.partitions,
            start_s=start_s,
            threads=threads,
            peak_rss_bytes=self._usage.peak_rss_bytes,
            rest=rest,
            rate=_RATE,
            busy=busy,
        )

    def _seconds(self, whole_s: float) -> float:
        return max(_SECONDS_MIN, whole_s * self._scale)

    def _begin(self) -> None:
        """Write a record to each partition of new topics."""
        new = [
            NewTopic(name=topic_of(flow), partitions=self._case.partitions, replication_factor=1)
            for flow in self._flows
        ]
        with self._arena.source_admin() as admin:
            create_topics(admin, new)
        write_first_records(
            self._arena.source,
            [
                TopicPartition(topic.name, number)
                for topic in new
                for number in range(self._case.partitions)
            ],
        )

    def _wait_for_copies(self) -> None:
        copies = {f"{flow.source}.{topic_of(flow)}" for flow in self._flows}
        numbers = range(self._case.partitions)
        places = [TopicPartition(copy, number) for copy in sorted(copies) for number in numbers]
        is_much = len(places) > _MANY_PARTITIONS
        with self._arena.target_admin() as admin:
            wait_until(
                lambda: self._runs() and copies <= set(admin.topics()) and _all_have(admin, places),
                "a record of each partition is copied",
                timeout_s=_START_S_MAX,
                pause_s=_LOOK_AT_MANY_EVERY_S if is_much else _LOOK_EVERY_S,
            )

    def _runs(self) -> bool:
        self._mirror.check()
        return True

    def _cost(self, seconds: float, spend: Callable[[float], None]) -> Cost:
        """Measure while *spend* lets time pass."""
        clock, brokers = self._clock, self._arena.brokers()
        before = count_requests(brokers, clock)
        began_s, control_s = clock.monotonic_s(), self._mirror.usage().cpu_s
        spend(seconds)
        ended_s, control_s = clock.monotonic_s(), self._mirror.usage().cpu_s - control_s
        after = count_requests(brokers, clock)
        took_s = ended_s - began_s

        def share(meter: UsageMeter) -> float:
            return cpu_between_s(meter.samples, began_s, ended_s) / took_s

        return Cost(
            seconds=took_s,
            cpu_share=share(self._usage),
            control_cpu_share=control_s / took_s,
            brokers_cpu_share=share(self._brokers_usage),
            rss_bytes=self._usage.samples[-1].rss_bytes,
            requests_per_s=after.per_s_since(before),
        )

    def _load(self, seconds: float) -> None:
        """Write to all partitions in turn."""
        first, *others = (topic_of(flow) for flow in self._flows)
        load = Load(
            bootstrap=self._arena.source.bootstrap,
            topic=first,
            more_topics=tuple(others),
            partitions=self._case.partitions,
            rate=_RATE,
            records=int(_RATE * seconds),
        )
        log = self._place / "load.log"
        wait_worker(load.start(log), log, timeout_s=seconds + _GRACE_S)

    def _say(self, what: str) -> None:
        case = self._case
        words = "flow" if case.flows == 1 else "flows"
        self._tell(f"scale, {case.flows} {words} x {case.partitions:,} partitions: {what}")


def _all_have(admin: KafkaAdmin, places: Sequence[TopicPartition]) -> bool:
    """Tell whether something is committed in each."""
    ends = admin.offsets(places, isolation="read_committed")
    return all(ends.get(place, 0) > 0 for place in places)
