"""One flow's metrics by MirrorMaker 2's names, as Strimzi's dashboard asks for them."""

from __future__ import annotations

from collections.abc import Iterable

from kmirror.model import TopicPartition
from kmirror.state.metrics.scrape import Scrape
from kmirror.state.metrics.table import METRICS
from kmirror.state.observed import ObservedFlow
from kmirror.state.statistics import Statistic
from kmirror.state.status import ENDED, FlowState

_SOURCE = "kafka_connect_mirror_mirrorsourceconnector_"
_CHECKPOINT = "kafka_connect_mirror_mirrorcheckpointconnector_"
CONNECTORS = ("MirrorSourceConnector", "MirrorCheckpointConnector", "MirrorHeartbeatConnector")
_RUNNING = {FlowState.RUNNING, FlowState.STOPPING, FlowState.COMPLETE}


def quoted(text: str) -> str:
    """Return a name as JMX has it: the quotation marks are part of the label's value."""
    return f'"{text}"'


class Mm2Metrics:
    """
    Puts what is known of one flow into a scrape.

    Args:
        observed: The flow.
        scrape: What is served.
        now_ms: The time, milliseconds since the epoch.
    """

    def __init__(self, observed: ObservedFlow, scrape: Scrape, now_ms: int) -> None:
        self._observed = observed
        self._scrape = scrape
        self._now_ms = now_ms
        self._status = observed.board.status
        self._flow = self._status.flow
        self._connector = quoted(f"{self._flow}.{CONNECTORS[0]}")

    def put(self, partitions: Iterable[TopicPartition]) -> None:
        """Put all of it; of these partitions."""
        self._put_tasks()
        for tp in partitions:
            self._put_partition(tp)
        for (group, place), times in self._observed.meter.checkpoints.items():
            where = (self._flow.source, self._flow.target, group, place.topic, place.partition)
            self._put_statistic(
                f"{_CHECKPOINT}checkpoint_latency_ms", times.at(self._now_ms), *where
            )
        for number, slot in sorted(self._observed.meter.slots.items()):
            for (kind, client), values in sorted(slot.clients.items()):
                self._put_client(kind, number, client, values.items())

    def _put_statistic(self, name: str, found: Statistic | None, *where: object) -> None:
        if found is not None:
            self._scrape.put(name, found.last, *where)
            self._scrape.put(f"{name}_min", found.min, *where)
            self._scrape.put(f"{name}_max", found.max, *where)
            self._scrape.put(f"{name}_avg", found.avg, *where)

    def _put_partition(self, tp: TopicPartition) -> None:
        meter = self._observed.meter.partitions.get(tp)
        if meter is None:
            return
        scrape, now_ms = self._scrape, self._now_ms
        records, count_bytes, lag = self._observed.progress.counts(tp)
        where = (self._flow.source, self._flow.target, meter.target, tp.partition)
        scrape.put(f"{_SOURCE}record_count", records, *where)
        scrape.put(f"{_SOURCE}record_rate", meter.records.at(now_ms, records), *where)
        scrape.put(f"{_SOURCE}byte_count", count_bytes, *where)
        scrape.put(f"{_SOURCE}byte_rate", meter.bytes.at(now_ms, count_bytes), *where)
        self._put_statistic(f"{_SOURCE}record_age_ms", meter.age.at(now_ms), *where)
        self._put_statistic(f"{_SOURCE}replication_latency_ms", meter.latency.at(now_ms), *where)
        client = self._client_id(meter.slot, "replication-consumer")
        scrape.put("kafka_consumer_fetch_manager_records_lag", lag, client, tp.topic, tp.partition)

    def _client_id(self, slot: int, role: str) -> str:
        return quoted(f"{self._flow}|{CONNECTORS[0]}-{slot}|{role}")

    def _put_tasks(self) -> None:
        scrape, status = self._scrape, self._status
        for name in CONNECTORS:
            connector = quoted(f"{self._flow}.{name}")
            tasks = self._tasks(name)
            state = "failed" if status.state in ENDED else "unassigned"
            if status.state in _RUNNING:
                state = "running"
            for each in ("running", "paused", "failed", "unassigned"):
                count = tasks if each == state else 0
                scrape.put(f"kafka_connect_worker_connector_{each}_task_count", count, connector)
            scrape.put("kafka_connect_worker_connector_total_task_count", tasks, connector)
            for task in range(tasks):
                scrape.put("kafka_connect_connector_status", 1, connector, task, state)
        runs = status.state in _RUNNING
        for task in range(self._observed.slots):
            where = (self._connector, task)
            scrape.put("kafka_connect_connector_task_running_ratio", runs, *where)
        self._put_slots()

    def _tasks(self, connector: str) -> int:
        return self._observed.slots if connector == CONNECTORS[0] else 1

    @property
    def task_count(self) -> int:
        """How many tasks MirrorMaker 2 would have for the flow."""
        return sum(map(self._tasks, CONNECTORS))

    def _put_slots(self) -> None:
        scrape, meter, progress = self._scrape, self._observed.meter, self._observed.progress
        copied: dict[int, int] = {}
        waiting: dict[int, int] = {}
        for tp, partition in meter.partitions.items():
            records, _, lag = progress.counts(tp)
            copied[partition.slot] = copied.get(partition.slot, 0) + records
            waiting[partition.slot] = waiting.get(partition.slot, 0) + lag
        for number, slot in sorted(meter.slots.items()):
            where = (self._connector, number)
            active = waiting.get(number, 0)
            scrape.put("kafka_connect_source_task_source_record_active_count", active, *where)
            total = copied.get(number, 0)
            scrape.put("kafka_connect_source_task_source_record_write_total", total, *where)
            if (commit := slot.commit_ms.at(self._now_ms)) is not None:
                name = "kafka_connect_connector_task_offset_commit_avg_time_ms"
                scrape.put(name, commit.avg, *where)

    def _put_client(
        self, kind: str, slot: int, number: int, values: Iterable[tuple[str, float]]
    ) -> None:
        client = self._client_id(slot, "replication-consumer")
        if kind == "producer":
            second = "b-" * number
            client = quoted(f"connector-producer-{second}{self._flow}.{CONNECTORS[0]}-{slot}")
        for name, value in values:
            part = "fetch_manager_" if name.startswith("fetch-") else ""
            metric = f"kafka_{kind}_{part}{name.replace('-', '_')}"
            if metric in METRICS:
                self._scrape.put(metric, value, client)
