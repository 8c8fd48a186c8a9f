"""
Where a Connect cluster keeps its state: three topics, in Connect's own formats.

Every worker follows settings and statuses in one thread, from their beginning. What all have to
agree on is written by one at a time: its producer has the transactional id that Connect's
exactly-once leader has, `connect-cluster-<group.id>`, so that whoever claimed before can write no
more. What was read after a claim is what the write behind it changes: nobody has written in
between.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connection import Connected
from kmirror.admin.internal_writer import InternalRecord, InternalWriter
from kmirror.admin.log_follower import LogFollower
from kmirror.admin.reader import StoredRecord
from kmirror.clock import Clock
from kmirror.connect.config_state import ConfigFold, ConfigState
from kmirror.connect.leader import Leader
from kmirror.connect.offset_state import OffsetFold
from kmirror.connect.status_state import Statuses, StatusFold
from kmirror.connect.store_topics import StorePartitions, StoreTopics, prepare_topics
from kmirror.events.connect import CONNECT_RECORD_UNREADABLE
from kmirror.events.emit import emit
from kmirror.model import TopicPartition
from kmirror.wire.connect_configs import (
    ClusterLoggerLevel,
    ConfigRecord,
    decode_config,
)
from kmirror.wire.connect_nouns import Unreadable
from kmirror.wire.connect_statuses import StatusRecord, decode_status
from kmirror.wire.murmur2 import partition_for_key
from kmirror.wire.source_offsets import SourceOffset, decode_source_offset


class ConnectStore(Connected):
    """
    The state of one Connect cluster. Any thread may ask it and write to it.

    Args:
        topics: Where it lies.
        group_id: The workers' `group.id`.
        admin: The control plane of the workers' cluster.
        rdkafka: librdkafka settings for it.
        listen: Is told of each record of the settings on which a worker has to act, in the thread
            that reads, once the store has started. It must not wait.
        timeout_s: Deadline of each call, seconds.
        clock: Where time comes from.
    """

    def __init__(
        self,
        topics: StoreTopics,
        *,
        group_id: str,
        admin: ClusterAdmin,
        rdkafka: Mapping[str, Any],
        clock: Clock,
        listen: Callable[[ConfigRecord], object] = lambda _record: None,
        timeout_s: float = 30.0,
    ) -> None:
        self._topics = topics
        self._admin = admin
        self._rdkafka = rdkafka
        self._listen = listen
        self._clock = clock
        self._timeout_s = timeout_s
        self._cluster = f"the workers' cluster ({rdkafka.get('bootstrap.servers', 'no address')})"
        self._lock = threading.Lock()
        self._config = ConfigFold()
        self._status = StatusFold()
        self._has_started = False
        self._partitions: StorePartitions | None = None
        self._leader = Leader(
            rdkafka, group_id=group_id, cluster=self._cluster, timeout_s=timeout_s, clock=clock
        )
        self._writer = InternalWriter(
            rdkafka, cluster=self._cluster, timeout_s=timeout_s, clock=clock
        )
        self._follower = self._open_follower(self._take)

    def _open_follower(self, take: Callable[[TopicPartition, StoredRecord], None]) -> LogFollower:
        return LogFollower(self._rdkafka, cluster=self._cluster, take=take, clock=self._clock)

    # Reading.

    def start(self) -> ConfigState:
        """
        Make the topics that are not there, read all, and go on reading.

        Raises:
            EnvironmentProblem: A topic is not as it has to be.
            MirrorError: The cluster refused, or did not answer.
        """
        self._partitions = prepare_topics(
            self._admin, self._topics, timeout_s=self._timeout_s, clock=self._clock
        )
        self._follower.start((self._partitions.config, *self._partitions.status))
        state = self.refresh()
        self._has_started = True
        return state

    @property
    def trouble(self) -> str:
        """Why something of the topics is not read now; empty if all is."""
        return self._follower.trouble

    def snapshot(self) -> ConfigState:
        """Return what connectors there are and what they shall do, as far as it was read."""
        with self._lock:
            return self._config.state()

    def statuses(self) -> Statuses:
        """Return what connectors and tasks do, as far as it was read."""
        with self._lock:
            return self._status.state()

    def offsets(self, connector: str) -> tuple[SourceOffset, ...]:
        """
        Read where a source connector is; nobody keeps that of all connectors in mind.

        Raises:
            ClusterError: It could not be read in time.
        """
        fold = OffsetFold()

        def take(partition: TopicPartition, stored: StoredRecord) -> None:
            record = decode_source_offset(stored.key, stored.value)
            if isinstance(record, Unreadable):
                _tell(record, partition, stored)
            elif record.connector == connector:
                fold.take(record)

        with self._open_follower(take) as follower:
            follower.start(self._known.offset)
            follower.catch_up(self._admin, self._known.offset, timeout_s=self._timeout_s)
        return fold.offsets(connector)

    def refresh(self) -> ConfigState:
        """
        Read everything that anybody has written by now.

        Raises:
            ClusterError: It could not be read in time.
        """
        followed = (self._known.config, *self._known.status)
        self._follower.catch_up(self._admin, followed, timeout_s=self._timeout_s)
        return self.snapshot()

    @property
    def _known(self) -> StorePartitions:
        assert self._partitions is not None, "the store was not started"
        return self._partitions

    def _take(self, partition: TopicPartition, stored: StoredRecord) -> None:
        """Let a record count: the follower's thread calls it."""
        record: ConfigRecord | StatusRecord | Unreadable
        if partition.topic == self._topics.config.name:
            record = self._take_config(stored)
        else:
            record = decode_status(stored.key, stored.value)
            if not isinstance(record, Unreadable):
                with self._lock:
                    self._status.take(record)
        if isinstance(record, Unreadable):
            _tell(record, partition, stored)

    def _take_config(self, stored: StoredRecord) -> ConfigRecord | Unreadable:
        record = decode_config(stored.key, stored.value)
        if isinstance(record, Unreadable):
            with self._lock:
                self._config.skip(stored.offset)
            return record
        with self._lock:
            has_to_act = self._config.take(record, stored.offset)
        if has_to_act and self._has_started:
            self._listen(record)
        return record

    # What one worker at a time writes.

    def claim(self) -> ConfigState:
        """
        Become the one that writes: whoever was it can write no more, and what it left open ends.

        Threads that share a store take turns, from the claim to the write.

        Returns:
            What is known of everything that was written before.

        Raises:
            ClusterError: The cluster refused, or did not answer.
        """
        self._leader.claim()
        return self.refresh()

    def write(self, records: Sequence[ConfigRecord]) -> ConfigState:
        """
        Write all of *records* to the topic of settings, or none.

        Args:
            records: What. Tasks go together with their commit; see `task_records`.

        Returns:
            What is known once they were read again.

        Raises:
            RebalanceNeeded: Another worker has claimed since; nothing was written.
            RecordRefused: The cluster never takes one of them; nothing was written.
            ClusterError: It is not known whether they were written: claim again, and look.
        """
        if not records:
            return self.snapshot()
        ends = self._leader.write(self._known.config, records)
        self._follower.wait_for(ends, timeout_s=self._timeout_s)
        return self.snapshot()

    # What any worker writes.

    def put_logger_level(self, logger: str, level: str) -> None:
        """
        Have all workers log from a level on; as in Connect, any worker may say so.

        Raises:
            ClusterError: It is not known whether it was written; writing it again does no harm.
        """
        record = ClusterLoggerLevel(logger=logger, level=level)
        self._write([self._known.config], [record.encode()])

    def put_statuses(self, records: Sequence[StatusRecord]) -> None:
        """
        Say what connectors and tasks do, and which topics they write to.

        Raises:
            ClusterError: It is not known whether it was written; writing it again does no harm.
        """
        self._write(self._known.status, [record.encode() for record in records])

    def put_offsets(self, offsets: Sequence[SourceOffset]) -> None:
        """
        Say where source connectors are.

        Raises:
            ClusterError: It is not known whether it was written; writing it again does no harm.
        """
        self._write(self._known.offset, [offset.encode() for offset in offsets])

    def _write(
        self, partitions: Sequence[TopicPartition], records: Sequence[tuple[bytes, bytes | None]]
    ) -> None:
        if records:
            self._writer.write(
                partitions[0].topic,
                (
                    InternalRecord(
                        key=key, value=value, partition=partition_for_key(key, len(partitions))
                    )
                    for key, value in records
                ),
            )

    def close(self) -> None:
        """Stop reading and writing."""
        self._leader.close()
        self._writer.close()
        self._follower.close()


def _tell(record: Unreadable, partition: TopicPartition, stored: StoredRecord) -> None:
    emit(
        CONNECT_RECORD_UNREADABLE,
        topic=partition.topic,
        partition=partition.partition,
        offset=stored.offset,
        reason=record.reason,
    )
