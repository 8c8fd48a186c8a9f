"""Topics that a driver under test mirrors, what was written to them, and whether it all arrived."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from confluent_kafka import IsolationLevel, KafkaException
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.witness import Witness
from kmirror_lab.oracle.workload import RunningWorkload, Workload
from kmirror_lab.process.waiting import wait_until

from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import position_group
from tests.support.commands import verify
from tests.support.copy_watch import GroupPositions, ends_of
from tests.support.driver import A_TO_B, RUNNING, Driver, DriverFactory
from tests.support.offset_map import check_offset_map

# One flow for each granularity, side by side in one driver, over the same topics.
_FLOWS = {"auto": A_TO_B, "record": Flow("RA", "RB")}


class _Copy:
    """What one of the flows makes of the topics."""

    def __init__(self, flow: Flow, target: Cluster, topics: Sequence[str]) -> None:
        self.flow = flow
        self.topics = {topic: f"{flow.source}.{topic}" for topic in topics}
        group = position_group(flow)
        self._stable = GroupPositions(target.bootstrap, group)
        self._latest = GroupPositions(target.bootstrap, group, stable=False)
        self.witness = Witness(target.bootstrap, self.topics.values())
        self.witness.start()

    def positions(self, *, stable: bool = True) -> dict[TopicPartition, int]:
        """Return the committed positions by target partition; see `GroupPositions`."""
        return (self._stable if stable else self._latest).read(self.topics.values())

    def positions_at_rest(self) -> dict[TopicPartition, int]:
        """Wait for the positions when brokers have died: the coordinator may be moving."""
        found: dict[TopicPartition, int] = {}

        def answered() -> bool:
            with suppress(KafkaException):
                found.update(self.positions())
                return True
            return False

        wait_until(answered, f"the positions of {self.flow} can be read", timeout_s=60)
        return found

    def copied(self, topic: str) -> int:
        """How many source offsets of a topic are behind the committed positions."""
        copy = self.topics[topic]
        positions = self.positions(stable=False)
        return sum(at for place, at in positions.items() if place.topic == copy)


class Mirrored:
    """
    Flows over topics of their own, with `kmirror-*` drivers that come and go.

    Args:
        source, target: The clusters.
        folder: For the properties file, logs and ledgers.
        start: Starts drivers.
        topics: Topics of the source; those that do not exist yet may come later.
        granularities: One flow each.
        extra_lines: More lines for the properties file.
    """

    def __init__(
        self,
        source: Cluster,
        target: Cluster,
        folder: Path,
        start: DriverFactory,
        *topics: str,
        granularities: Sequence[str],
        extra_lines: Sequence[str] = (),
    ) -> None:
        self.source = source
        self.target = target
        self.folder = folder
        self.copies = tuple(_Copy(_FLOWS[each], target, topics) for each in granularities)
        self.file = folder / "drivers" / "mm2.properties"
        self.file.parent.mkdir(parents=True, exist_ok=True)
        lines = (*_file_lines(granularities, source, target, ",".join(topics)), *extra_lines)
        self.file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self._start = start
        self._workloads: list[RunningWorkload] = []

    def start(self, *arguments: str) -> Driver:
        """Start a driver; it has not begun to copy yet."""
        return self._start(self.file, *arguments)

    def start_copying(self, *arguments: str) -> Driver:
        """
        Start a driver and wait until its lanes copy.

        What is written before is a backlog of batches of some records each, of which three brokers
        on one machine take a few hundred a second.
        """
        driver = self.start(*arguments)
        driver.wait_for_line(RUNNING, count=len(self.copies))
        return driver

    def write(
        self,
        topic: str,
        *,
        partitions: int,
        rate: int = 250,
        records: int = 0,
        abort_every: int = 0,
        seed: int = 0,
    ) -> RunningWorkload:
        """Start a producer with a ledger; its records are awkward on purpose."""
        number = len(self._workloads)
        running = Workload(
            bootstrap=self.source.bootstrap,
            topic=topic,
            partitions=partitions,
            ledger=self.folder / f"ledger-{number}.jsonl",
            records=records,
            rate=rate,
            seed=seed + number,
            producer=number,
            abort_every=abort_every,
        ).start()
        self._workloads.append(running)
        return running

    def finish(
        self, driver: Driver, *, timeout_s: float = 120, compacted: Collection[str] = ()
    ) -> None:
        """Let the producers end, the driver catch up and stop, and compare both sides."""
        self.stop_writing()
        self.wait_until_caught_up(driver, timeout_s=timeout_s)
        assert driver.stop() == 0, driver.text
        self.check(compacted=compacted)

    def writes(self, topic: str) -> bool:
        """Whether a producer of a topic is still there."""
        return any(each.alive and each.spec.topic == topic for each in self._workloads)

    def acked(self) -> int:
        """Count what the producers know to be written."""
        return sum(each.acked() for each in self._workloads)

    def stop_writing(self, topic: str = "") -> None:
        """Let the producers end, all or those of one topic."""
        for workload in self._workloads:
            if topic in {"", workload.spec.topic}:
                workload.stop()

    def close(self) -> None:
        """End the witnesses, and what still writes after a test that failed."""
        for workload in self._workloads:
            workload.kill()
        for copy in self.copies:
            copy.witness.stop()

    def wait_until_caught_up(self, driver: Driver, *, timeout_s: float = 120) -> None:
        """Wait until all that is in the source now can be read on the target."""
        for copy in self.copies:
            driver.wait_until_caught_up(
                self.source, self.target, copy.topics, flow=copy.flow, timeout_s=timeout_s
            )

    def wait_copied(
        self,
        driver: Driver,
        topic: str,
        offsets: int = 1,
        *,
        fastest: bool = False,
        timeout_s: float = 300,
    ) -> None:
        """
        Wait until so many source offsets of a topic are committed on the target.

        Args:
            driver: It must not end before.
            topic: The source topic.
            offsets: Of all its partitions.
            fastest: One flow is enough; all of them otherwise.
            timeout_s: How long it may take.
        """

        def reached() -> bool:
            for workload in self._workloads:
                log = workload.spec.ledger.with_suffix(".log")
                assert workload.alive or workload.spec.records, log.read_text()
            try:
                copied = self.copied_each(topic)
                return (max(copied) if fastest else min(copied)) >= offsets
            except KafkaException:
                # Brokers come and go in these tests.
                return False

        driver.wait_until(reached, f"{offsets} of {topic}", timeout_s)

    def wait_more(
        self, driver: Driver, topic: str, offsets: int = 1000, *, timeout_s: float = 300
    ) -> None:
        """
        Wait until so many offsets more are copied than now, or than when that can be told again.

        The number is more than what is on its way when something happens.
        """
        found: list[int] = []

        def known() -> bool:
            with suppress(KafkaException):
                found.append(self.copied(topic))
            return bool(found)

        driver.wait_until(known, f"the positions of {topic}", timeout_s)
        self.wait_copied(driver, topic, found[0] + offsets, timeout_s=timeout_s)

    def errors(self, driver: Driver) -> list[str]:
        """Give the errors that the flows have logged; those of Kafka's clients are not theirs."""
        names = "|".join(str(copy.flow) for copy in self.copies)
        return driver.lines(rf" ERROR +({names})\b(?!: spark:)")

    def copied(self, topic: str) -> int:
        """How many source offsets of a topic are behind the committed positions of every flow."""
        return min(self.copied_each(topic))

    def copied_each(self, topic: str) -> tuple[int, ...]:
        """Return what each flow has copied of a topic."""
        return tuple(copy.copied(topic) for copy in self.copies)

    def has_begun(self, topic: str, partitions: Iterable[int]) -> bool:
        """Whether every flow has copied something of each of the partitions."""
        numbers = tuple(partitions)
        return all(
            copy.positions(stable=False).get(TopicPartition(copy.topics[topic], number), 0) > 0
            for copy in self.copies
            for number in numbers
        )

    def check(self, *, compacted: Collection[str] = ()) -> None:
        """
        Compare both sides, record by record and with the ledgers: nothing missing, twice, out of
        order, changed, invented or hanging; and the positions say exactly that. A consumer that was
        there all the time has seen the same. The exact offset map has no wrong word.

        Of topics that both sides have compacted, each when it liked, `kmirror verify` knows what
        may differ.
        """
        for workload in self._workloads:
            # A workload that failed early would make an easy test.
            ledger = workload.spec.ledger
            log = ledger.with_suffix(".log").read_text()
            assert workload.acked() > 0, f"{ledger.name}: nothing was acknowledged: {log}"
        for copy in self.copies:
            self._check(copy, compacted)
        if compacted:
            verified = verify(self.file)
            assert verified.code == 0, verified.text

    def _check(self, copy: _Copy, compacted: Collection[str]) -> None:
        ledgers = [workload.spec.ledger for workload in self._workloads]
        topics = {name: copied for name, copied in copy.topics.items() if name not in compacted}
        verdict = check(self.source.bootstrap, self.target.bootstrap, topics, ledgers=ledgers)
        assert verdict.ok, f"{copy.flow}: {verdict}"
        positions = copy.positions_at_rest()
        stable = ends_of(self.source.bootstrap, topics, IsolationLevel.READ_COMMITTED)
        ends = ends_of(self.target.bootstrap, topics.values(), IsolationLevel.READ_UNCOMMITTED)
        for place, end in stable.items():
            mirror = TopicPartition(topics[place.topic], place.partition)
            assert positions.get(mirror, 0) == end, f"{place}: position {positions.get(mirror)}"
        for pair in verdict.partitions:
            # Offsets may have gaps on either side, so only records can be counted.
            assert ends[pair.target] >= pair.target_records
            assert pair.target_records == pair.source_records
        ends = ends_of(self.target.bootstrap, topics.values(), IsolationLevel.READ_COMMITTED)
        assert not copy.witness.disagreements(ends)
        assert check_offset_map(self.source, self.target, topics, flow=copy.flow).mapped


def _file_lines(
    granularities: Sequence[str], source: Cluster, target: Cluster, topics: str
) -> Iterator[str]:
    aliases = [
        alias for each in granularities for alias in (_FLOWS[each].source, _FLOWS[each].target)
    ]
    size = min(3, len(target.brokers))
    yield f"clusters = {', '.join(aliases)}"
    yield f"replication.factor = {size}"
    yield f"offset.storage.replication.factor = {size}"
    # Heartbeats go between all aliases; the clusters are two.
    yield "emit.heartbeats.enabled = false"
    for granularity in granularities:
        flow = _FLOWS[granularity]
        yield f"{flow.source}.bootstrap.servers = {source.bootstrap}"
        yield f"{flow.target}.bootstrap.servers = {target.bootstrap}"
        yield f"{flow}.enabled = true"
        yield f"{flow}.emit.heartbeats.enabled = true"
        yield f"{flow}.topics = {topics}"
        yield f"{flow}.kmirror.granularity = {granularity}"


class MirroredFactory(Protocol):
    """Makes a flow over topics of its own."""

    def __call__(
        self, source: Cluster, target: Cluster, *topics: str, extra_lines: Sequence[str] = ()
    ) -> Mirrored:
        """Give flows that mirror *topics*; no driver runs yet."""
        ...
