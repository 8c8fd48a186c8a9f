"""Topics that a driver under test mirrors, what was written to them, and whether it all arrived."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from confluent_kafka import IsolationLevel, KafkaException
from driver import A_TO_B, Driver, DriverFactory, GroupPositions, ends_of, write_properties
from offset_map import check_offset_map

from kmirror.lab.check import check
from kmirror.lab.cluster import Cluster
from kmirror.lab.witness import Witness
from kmirror.lab.workload import RunningWorkload, Workload
from kmirror.model import TopicPartition
from kmirror.wire.position import position_group


class Mirrored:
    """
    A flow A->B over topics of its own, with `kmirror-*` drivers that come and go.

    Args:
        source, target: The clusters.
        folder: For the properties file, logs and ledgers.
        start: Starts drivers.
        topics: Topics of the source; those that do not exist yet may come later.
        extra_lines: More lines for the properties file.
    """

    def __init__(
        self,
        source: Cluster,
        target: Cluster,
        folder: Path,
        start: DriverFactory,
        *topics: str,
        extra_lines: Sequence[str] = (),
    ) -> None:
        self.source = source
        self.target = target
        self.folder = folder
        self.topics = {topic: f"A.{topic}" for topic in topics}
        self.file = write_properties(
            folder / "drivers", source, target, *extra_lines, topics=",".join(topics)
        )
        self._start = start
        self._stable = GroupPositions(target.bootstrap, position_group(A_TO_B))
        self._latest = GroupPositions(target.bootstrap, position_group(A_TO_B), stable=False)
        self._workloads: list[RunningWorkload] = []
        self._witness = Witness(target.bootstrap, self.topics.values())
        self._witness.start()

    def start(self, *arguments: str) -> Driver:
        """Start a driver; it has not begun to copy yet."""
        return self._start(self.file, *arguments)

    def write(
        self,
        topic: str,
        *,
        partitions: int,
        rate: int = 500,
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

    def finish(self, driver: Driver, *, timeout_s: float = 120) -> None:
        """Let the producers end, the driver catch up and stop, and compare both sides."""
        for workload in self._workloads:
            workload.stop()
        self.wait_until_caught_up(driver, timeout_s=timeout_s)
        assert driver.stop() == 0, driver.text
        self.check()

    def close(self) -> None:
        """End the witness, and what still writes after a test that failed."""
        for workload in self._workloads:
            workload.kill()
        self._witness.stop()

    def wait_until_caught_up(self, driver: Driver, *, timeout_s: float = 120) -> None:
        """Wait until all that is in the source now can be read on the target."""
        driver.wait_until_caught_up(self.source, self.target, self.topics, timeout_s=timeout_s)

    def wait_copied(
        self, driver: Driver, topic: str, offsets: int = 1, *, timeout_s: float = 300
    ) -> None:
        """Wait until so many source offsets of a topic are committed on the target."""

        def reached() -> bool:
            for workload in self._workloads:
                log = workload.spec.ledger.with_suffix(".log")
                assert workload.alive or workload.spec.records, log.read_text()
            try:
                return self.copied(topic) >= offsets
            except KafkaException:
                # Brokers come and go in these tests.
                return False

        driver.wait_until(reached, f"{offsets} of {topic}", timeout_s)

    def check(self) -> None:
        """
        Compare both sides, record by record and with the ledgers: nothing missing, twice, out of
        order, changed, invented or hanging; and the positions say exactly that. A consumer that was
        there all the time has seen the same. The exact offset map has no wrong word.
        """
        ledgers = [workload.spec.ledger for workload in self._workloads]
        verdict = check(self.source.bootstrap, self.target.bootstrap, self.topics, ledgers=ledgers)
        assert verdict.ok, str(verdict)
        for workload in self._workloads:
            # A workload that failed early would make an easy test.
            assert workload.acked() > 0, workload.spec.ledger.with_suffix(".log").read_text()
        positions = self.positions()
        stable = ends_of(self.source.admin(), self.topics, IsolationLevel.READ_COMMITTED)
        ends = ends_of(self.target.admin(), self.topics.values(), IsolationLevel.READ_UNCOMMITTED)
        for place, end in stable.items():
            copy = TopicPartition(self.topics[place.topic], place.partition)
            assert positions.get(copy, 0) == end, f"{place}: position {positions.get(copy)}"
        for pair in verdict.partitions:
            # Offsets may have holes on either side, so only records can be counted.
            assert ends[pair.target] >= pair.target_records
            assert pair.target_records == pair.source_records
        ends = ends_of(self.target.admin(), self.topics.values(), IsolationLevel.READ_COMMITTED)
        assert not self._witness.disagreements(ends)
        assert check_offset_map(self.source, self.target, self.topics).mapped

    def copied(self, topic: str) -> int:
        """How many source offsets of a topic are behind the committed positions."""
        copy = self.topics[topic]
        positions = self.positions(stable=False)
        return sum(at for place, at in positions.items() if place.topic == copy)

    def positions(self, *, stable: bool = True) -> dict[TopicPartition, int]:
        """The committed positions of the topics by target partition; see `GroupPositions`."""
        return (self._stable if stable else self._latest).read(self.topics.values())
