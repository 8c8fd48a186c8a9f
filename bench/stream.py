"""A contestant that mirrors a live stream, ready to be measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.cluster.mirror import Mirror
from kmirror_lab.process.waiting import wait_until

from bench.arena import Arena
from bench.arrival import Arrival
from bench.contestant import Contestant
from bench.growth import Growth
from bench.load import Load
from bench.probe import Probe
from bench.usage import UsageMeter
from bench.worker import read_pairs, wait_worker
from kmirror.admin.base import Isolation
from kmirror.clock import Clock
from kmirror.plans.topics import NewTopic

TOPIC = "bench-stream"
_START_S_MAX = 300.0
_FIRST_RATE = 10_000
_GRACE_S = 180.0
_WARM_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """
    How a load went through a mirror.

    Args:
        arrivals: All its records, in the order of their creation, by how the consumer read;
            written when the source answered, if the load notes that.
        usage: What the contestant used meanwhile.
    """

    arrivals: Mapping[Isolation, Sequence[Arrival]]
    usage: UsageMeter


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """
    A mirror through which one record of each partition has gone already.

    Args:
        arena: The clusters.
        mirror: The contestant, running.
        copy: The topic on the target.
        partitions: How many it has.
        folder: For what the measuring processes write.
        clock: Where time comes from.
    """

    arena: Arena
    mirror: Mirror
    copy: str
    partitions: int
    folder: Path
    clock: Clock

    def load(
        self,
        *,
        rate: int,
        records: int = 0,
        run_records: int = 1,
        linger_ms: int = 0,
        answers: bool = False,
    ) -> Load:
        """Give a load of the stream's topic, which may note its *answers*; see `Load`."""
        return Load(
            bootstrap=self.arena.source.bootstrap,
            topic=TOPIC,
            partitions=self.partitions,
            rate=rate,
            records=records,
            run_records=run_records,
            linger_ms=linger_ms,
            answers=self.folder / "answers.bin" if answers else None,
        )

    def send(self, load: Load, isolations: Sequence[Isolation]) -> Passage:
        """
        Write a load, and note when its records reach consumers of the target.

        Args:
            load: One that ends by itself.
            isolations: One consumer each.

        Raises:
            EnvironmentProblem: A record did not come, or a process failed.
        """
        probes = {isolation: self._probe(load, isolation) for isolation in isolations}
        logs = {isolation: self.folder / f"{isolation}.log" for isolation in isolations}
        load_log = self.folder / "load.log"
        with UsageMeter([self.mirror.process], self.clock) as usage:
            readers = {each: probe.start(logs[each]) for each, probe in probes.items()}
            for isolation, probe in probes.items():
                wait_until(
                    probe.result.exists, f"the {isolation} consumer reads", timeout_s=_GRACE_S
                )
            seconds = load.records / load.rate
            wait_worker(load.start(load_log), load_log, timeout_s=seconds + _GRACE_S)
            for isolation, reader in readers.items():
                wait_worker(reader, logs[isolation], timeout_s=_GRACE_S)
        self.mirror.check()
        return Passage(
            arrivals={
                isolation: self._answered(load, probe.arrivals())
                for isolation, probe in probes.items()
            },
            usage=usage,
        )

    def _answered(self, load: Load, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
        # The stream's first records were there before the load.
        created = sorted(arrivals, key=lambda each: each.written_ns)[self.partitions :]
        if not load.answers:
            return created
        answers = sorted(read_pairs(load.answers))
        assert [each.written_ns for each in created] == [each for each, _ in answers]
        return [
            Arrival(written_ns=answered_ns, seen_ns=each.seen_ns)
            for each, (_, answered_ns) in zip(created, answers, strict=True)
        ]

    def _probe(self, load: Load, isolation: Isolation) -> Probe:
        return Probe(
            bootstrap=self.arena.target.bootstrap,
            topic=self.copy,
            partitions=self.partitions,
            isolation=isolation,
            first_records=self.partitions,
            records=self.partitions + load.records,
            result=self.folder / f"{isolation}.bin",
        )


def _create_topic(arena: Arena, partitions: int) -> None:
    new = NewTopic(name=TOPIC, partitions=partitions, replication_factor=1)
    with arena.source_admin() as admin:
        failed = admin.create_topics([new])
        assert not failed, failed
        wait_until(
            lambda: TOPIC in admin.topics() and admin.topics()[TOPIC].partitions == partitions,
            f"{TOPIC} has {partitions} partitions",
            timeout_s=_GRACE_S,
        )


@contextmanager
def flowing(
    arena: Arena,
    contestant: Contestant,
    *,
    partitions: int,
    folder: Path,
    clock: Clock,
    start: Callable[[Mirror], None] = Mirror.start,
) -> Iterator[Stream]:
    """
    Start *contestant* on a fresh topic and wait until each partition's first record is copied.

    Args:
        arena: Where.
        contestant: Who.
        partitions: How many the topic has.
        folder: For what the measuring processes write.
        clock: Where time comes from.
        start: Starts the mirror.
    """
    arena.clear()
    _create_topic(arena, partitions)
    mirror, flow = arena.enter(contestant)
    stream = Stream(
        arena=arena,
        mirror=mirror,
        copy=f"{flow.source}.{TOPIC}",
        partitions=partitions,
        folder=folder,
        clock=clock,
    )
    log = folder / "first.log"
    wait_worker(
        stream.load(rate=_FIRST_RATE, records=partitions).start(log), log, timeout_s=_GRACE_S
    )
    with arena.target_admin() as admin, mirror:
        growth = Growth(admin, stream.copy, partitions, clock)
        start(mirror)
        growth.wait(growth.committed, partitions, mirror.check, timeout_s=_START_S_MAX)
        yield stream
        mirror.stop()


def warm_brokers(
    arena: Arena, contestant: Contestant, *, rate: int, partitions: int, folder: Path, clock: Clock
) -> None:
    """
    Let brokers that have just been started do a minute of what will be measured.

    Without that the first one who is measured would pay for their compilers; arguments as of
    `flowing`, and the rate in records a second.
    """
    with flowing(arena, contestant, partitions=partitions, folder=folder, clock=clock) as stream:
        stream.send(stream.load(rate=rate, records=rate * _WARM_S), ["read_committed"])
