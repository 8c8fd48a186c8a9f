"""Has one worker of a Connect cluster at a time write what all have to agree on."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from kmirror.admin.connection import Connected
from kmirror.admin.transactional_writer import TransactionalWriter, WrittenRecord
from kmirror.clock import Clock
from kmirror.errors import ClusterError, ProducerFenced, RebalanceNeeded
from kmirror.model import TopicPartition
from kmirror.wire.connect_configs import ConfigRecord

# Brokers forget a transactional id that nobody uses for a week; half a second buys a new claim.
_CLAIMED_S_MAX = 3600.0


class Leader(Connected):
    """
    Writes settings in transactions, as Connect's exactly-once leader does.

    Args:
        rdkafka: librdkafka settings for the workers' cluster.
        group_id: The workers' `group.id`.
        cluster: The cluster as messages shall name it.
        timeout_s: Deadline of each step, seconds.
        clock: Where time comes from.
    """

    def __init__(
        self,
        rdkafka: Mapping[str, Any],
        *,
        group_id: str,
        cluster: str,
        timeout_s: float,
        clock: Clock,
    ) -> None:
        self._rdkafka = rdkafka
        self._group_id = group_id
        self._cluster = cluster
        self._timeout_s = timeout_s
        self._clock = clock
        self._lock = threading.Lock()
        self._claimed_s = 0.0
        self._writer: TransactionalWriter | None = None

    def claim(self) -> None:
        """
        Become the one that writes: whoever was it can write no more, and what it left open ends.

        Who was it a moment ago does nothing: had another one claimed since, the next write would
        be refused. So nobody has written in between, if that write is not.

        Raises:
            ClusterError: The cluster refused, or did not answer.
        """
        now_s = self._clock.monotonic_s()
        with self._lock:
            if self._writer is not None and now_s - self._claimed_s < _CLAIMED_S_MAX:
                return
            self._release()
            self._claimed_s = now_s
            self._writer = TransactionalWriter(
                self._rdkafka,
                # Connect's own, so that neither can write behind the other's back.
                transactional_id=f"connect-cluster-{self._group_id}",
                cluster=self._cluster,
                timeout_s=self._timeout_s,
                clock=self._clock,
            )

    def write(
        self, partition: TopicPartition, records: Sequence[ConfigRecord]
    ) -> Mapping[TopicPartition, int]:
        """
        Write all of *records*, or none.

        Args:
            partition: Where to.
            records: What.

        Returns:
            The offset behind the last of them.

        Raises:
            RebalanceNeeded: Another worker has claimed since; nothing was written.
            RecordRefused: The cluster never takes one of them; nothing was written.
            ClusterError: It is not known whether they were written: claim again, and look.
        """
        written = [_written(partition, record) for record in records]
        with self._lock:
            if self._writer is None:
                raise self._late()
            try:
                return self._writer.write(written)
            except ProducerFenced as error:
                self._release()
                raise self._late() from error
            except ClusterError:
                # The transaction may be open, or done: only a new producer knows.
                self._release()
                raise

    def close(self) -> None:
        """Let go of connections: nothing is written until the next claim."""
        with self._lock:
            self._release()

    def _release(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _late(self) -> RebalanceNeeded:
        return RebalanceNeeded(
            f"another worker of group {self._group_id} writes its settings now",
            hint="ask again in a moment",
        )


def _written(partition: TopicPartition, record: ConfigRecord) -> WrittenRecord:
    key, value = record.encode()
    return WrittenRecord(topic=partition.topic, partition=partition.partition, key=key, value=value)
