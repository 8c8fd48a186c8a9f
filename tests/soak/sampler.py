"""Looks at processes and flows every few seconds, beside everything else."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress

import psutil
from confluent_kafka import IsolationLevel, KafkaException
from kmirror_lab.process.jvm_heap import LiveHeap, live_heap

from kmirror.clock import Clock
from kmirror.model import Flow, TopicPartition
from kmirror.wire.flow_names import position_group
from tests.soak.result import FlowSample, ProcessSample
from tests.soak.trends import DRIVER_JVM, WARM_S
from tests.support.copy_watch import GroupPositions, ends_of

_EVERY_S = 5.0
# Each time the JVM collects its whole heap.
_JVM_EVERY_S, _JVM_S_MAX = 120.0, 20.0


class Sampler:
    """
    A thread that takes samples until `stop`.

    Args:
        source, target: `bootstrap.servers`.
        flows: Each flow's topics: source topic to target topic.
        processes: Gives the processes to look at, as name and number.
        clock: Where time comes from.
        began_s: When the run began, by that clock.
    """

    def __init__(
        self,
        *,
        source: str,
        target: str,
        flows: Mapping[Flow, Mapping[str, str]],
        processes: Callable[[], Iterable[tuple[str, int]]],
        clock: Clock,
        began_s: float,
    ) -> None:
        self.processes: list[ProcessSample] = []
        self.flows: list[FlowSample] = []
        self._source = source
        self._topics = flows
        self._positions = {
            flow: GroupPositions(target, position_group(flow), stable=False) for flow in flows
        }
        self._who = processes
        self._clock, self._began_s = clock, began_s
        self._asks_jvm_s: dict[int, float] = {}
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._again, args=(look,), name=f"soak-{name}", daemon=True)
            for name, look in (("processes", self._look), ("flows", self._measure))
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End."""
        self._stop.set()
        for thread in self._threads:
            thread.join(60)

    def _again(self, look: Callable[[float], None]) -> None:
        while not self._stop.is_set():
            look(self._clock.monotonic_s() - self._began_s)
            self._clock.wait(self._stop, _EVERY_S)

    def _look(self, now_s: float) -> None:
        for name, pid in self._who():
            heap = self._live_heap(name, pid, now_s)
            with suppress(psutil.Error):
                process = psutil.Process(pid)
                with process.oneshot():
                    sample = ProcessSample(
                        at_s=round(now_s, 1),
                        name=name,
                        pid=pid,
                        rss_bytes=process.memory_info().rss,
                        files=process.num_fds(),
                        threads=process.num_threads(),
                        live_bytes=None if heap is None else heap.all_bytes,
                        array_bytes=None if heap is None else heap.array_bytes,
                    )
                # Who was killed and is not collected yet has no memory.
                if sample.rss_bytes:
                    self.processes.append(sample)

    def _live_heap(self, name: str, pid: int, now_s: float) -> LiveHeap | None:
        """Ask a driver's JVM now and then, once it is warm; one that is frozen gives none."""
        if name != DRIVER_JVM:
            return None
        if now_s < self._asks_jvm_s.setdefault(pid, now_s + WARM_S):
            return None
        self._asks_jvm_s[pid] = now_s + _JVM_EVERY_S
        try:
            return live_heap(pid, timeout_s=_JVM_S_MAX)
        except subprocess.SubprocessError:
            return None

    def _measure(self, now_s: float) -> None:
        # Brokers that are away give no sample: a gap in the curve.
        with suppress(KafkaException):
            names = {topic for topics in self._topics.values() for topic in topics}
            ends = ends_of(self._source, names, IsolationLevel.READ_COMMITTED)
            for flow, topics in self._topics.items():
                found = self._positions[flow].read(topics.values())
                copied = sum(found.values())
                lag = sum(
                    end - found.get(TopicPartition(topics[place.topic], place.partition), 0)
                    for place, end in ends.items()
                )
                sample = FlowSample(
                    at_s=round(now_s, 1), flow=str(flow), copied=copied, lag=max(0, lag)
                )
                self.flows.append(sample)
