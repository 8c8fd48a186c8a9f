"""What a soak is played on: two clusters, a link, producers, and drivers that come and go."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

from confluent_kafka.cimpl import NewPartitions
from kmirror_lab.net import NetLab, NetPlan, net_lab
from kmirror_lab.oracle.workload import RunningWorkload, Workload
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import Clock
from kmirror.errors import ClusterUnavailable
from kmirror.model import Flow
from tests.soak.trends import DRIVER_JVM, DRIVER_PYTHON
from tests.support.copy_watch import CopyWatch
from tests.support.driver import Driver, start_driver
from tests.support.mirrored import Mirrored

BROKERS = 2
PLAIN, TRANSACTIONAL, COMPACTED = "plain", "transactional", "compacted"
PARTITIONS = 2
KEYS = 200
ABORT_EVERY = 4
_SOURCE, _TARGET = "source", "target"
# Small segments, so that the cleaner has something to do.
_COMPACTED = {
    "cleanup.policy": "compact",
    "segment.ms": "20000",
    "min.cleanable.dirty.ratio": "0.01",
    "delete.retention.ms": "86400000",
}
_CLEANS_OFTEN = {"log.cleaner.backoff.ms": "5000"}
_START_S_MAX = 180.0
_log = logging.getLogger(__name__)


class Stage:
    """
    Everything that runs.

    Args:
        folder: For data, logs and ledgers; about 3 KB for each record.
        rate: Records a second of each producer.
        seed: Of the records.
        clock: Where time comes from.
    """

    def __init__(self, folder: Path, *, rate: int, seed: int, clock: Clock) -> None:
        self.folder = folder
        self.clock = clock
        self._rate, self._seed = rate, seed
        self._ends = ExitStack()
        self.replaced = 0
        self.partitions = PARTITIONS
        self.drivers: list[Driver] = []
        self.keyed: list[RunningWorkload] = []

    def __enter__(self) -> Self:
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for driver in self.drivers:
            with suppress(Exception):
                driver.kill()
        for workload in self.keyed:
            workload.kill()
        self._ends.close()

    def _build(self) -> None:
        plan = NetPlan(
            names=(_SOURCE, _TARGET), brokers=BROKERS, heap_mb=320, config=_CLEANS_OFTEN, proxy=True
        )
        self.net: NetLab = self._ends.enter_context(net_lab(self.folder / "clusters", plan))
        self.source, self.target = self.net.clusters[_SOURCE], self.net.clusters[_TARGET]
        for topic in (PLAIN, TRANSACTIONAL):
            self.source.create_topic(topic, partitions=PARTITIONS)
        self.source.create_topic(COMPACTED, partitions=PARTITIONS, config=_COMPACTED)
        address = self.net.bootstrap(_TARGET, seen_from=_SOURCE)
        every = ",".join((PLAIN, TRANSACTIONAL, COMPACTED))
        lines = [f"{alias}.bootstrap.servers = {address}" for alias in ("B", "RB")]
        # The others are compared record by record; what a cleaner took is not.
        lines += [f"{flow}.topics = {every}" for flow in ("A->B", "RA->RB")]
        lines += ["refresh.topics.interval.seconds = 5", "sync.topic.configs.interval.seconds = 10"]
        self.flow = Mirrored(
            self.source,
            self.target,
            self.folder,
            start_driver,
            PLAIN,
            TRANSACTIONAL,
            granularities=["auto", "record"],
            extra_lines=lines,
        )
        self._ends.callback(self.flow.close)
        self.start_driver()
        self._writers: dict[str, RunningWorkload] = {}
        self._write(PLAIN)
        self._write(TRANSACTIONAL)
        self._write_keyed()

    @property
    def driver(self) -> Driver:
        """The one that drives now."""
        return self.drivers[-1]

    def start_driver(self) -> Driver:
        """Start one, and wait until it copies."""
        driver = self.flow.start()
        self.drivers.append(driver)
        # The line comes once for each flow.
        driver.wait_for_line(r"plan \d+: ", count=len(self.flow.copies), timeout_s=_START_S_MAX)
        return driver

    def topics(self) -> dict[Flow, dict[str, str]]:
        """Name each flow's topics: source topic to target topic."""
        return {
            copy.flow: dict(copy.topics) | {COMPACTED: f"{copy.flow.source}.{COMPACTED}"}
            for copy in self.flow.copies
        }

    def processes(self) -> Iterator[tuple[str, int]]:
        """Give what is looked at: name and number."""
        driver = self.driver
        with suppress(OSError):
            yield DRIVER_PYTHON, driver.pid
            for pid in driver.members("SparkSubmit"):
                yield DRIVER_JVM, pid
        for cluster in (self.source, self.target):
            for broker in cluster.brokers:
                if broker.process is not None:
                    yield f"{cluster.name} broker {broker.node_id}", broker.process.pid

    def wait_caught_up(self, timeout_s: float) -> bool:
        """Wait until all that is in the source now is committed on the target; tell whether."""
        begun_s = self.clock.monotonic_s()
        watches = [
            CopyWatch(self.source.bootstrap, self.target.bootstrap, topics, flow)
            for flow, topics in self.topics().items()
        ]
        try:
            for step in (CopyWatch.begin, CopyWatch.copied, CopyWatch.readable):
                for watch in watches:
                    left_s = timeout_s - (self.clock.monotonic_s() - begun_s)
                    wait_until(
                        lambda step=step, watch=watch: step(watch),
                        "the copy has caught up",
                        timeout_s=max(1.0, left_s),
                    )
        except ClusterUnavailable:
            return False
        return True

    def mend_producers(self) -> None:
        """Start others in place of those that have ended: a broker's death may end one."""
        for topic in (PLAIN, TRANSACTIONAL):
            if not self.flow.writes(topic):
                self.replaced += 1
                _log.warning("the producer of %s has ended; another one begins", topic)
                self._write(topic)
        if not self.keyed[-1].alive:
            self.replaced += 1
            self._write_keyed()

    def grow(self) -> int:
        """Give the plain topic one partition more, and a producer that writes to it."""
        self.partitions += 1
        # Answers die with the client that asked.
        admin = self.source.admin()
        admin.create_partitions([NewPartitions(PLAIN, self.partitions)])[PLAIN].result(60)
        # One that is stopped before it has written anything has nothing to compare.
        writer = self._writers[PLAIN]
        wait_until(lambda: writer.acked() > 0, f"{PLAIN} is written to", timeout_s=_START_S_MAX)
        self.flow.stop_writing(PLAIN)
        self._write(PLAIN)
        return self.partitions

    def _write(self, topic: str) -> None:
        self._writers[topic] = self.flow.write(
            topic,
            partitions=self.partitions if topic == PLAIN else PARTITIONS,
            rate=self._rate,
            abort_every=ABORT_EVERY if topic == TRANSACTIONAL else 0,
            seed=self._seed,
        )

    def _write_keyed(self) -> None:
        number = 1000 + len(self.keyed)
        self.keyed.append(
            Workload(
                bootstrap=self.source.bootstrap,
                topic=COMPACTED,
                partitions=PARTITIONS,
                ledger=self.folder / f"keyed-{number}.jsonl",
                rate=self._rate,
                seed=self._seed + number,
                producer=number,
                keys=KEYS,
            ).start()
        )
