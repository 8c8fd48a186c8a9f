"""What kmirror has committed for groups: remembered on the target, whoever drives the flow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.followed_topic import FollowedTopic
from kmirror.admin.internal_topics import InternalTopic
from kmirror.admin.internal_writer import InternalRecord
from kmirror.admin.reader import RecordReader
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.flow_ends import Ends
from kmirror.errors import NotAuthorized
from kmirror.events.consumers import GROUP_OFFSETS_UNREMEMBERED
from kmirror.events.emit import emit
from kmirror.model import Flow, TopicPartition
from kmirror.wire.written_offsets import (
    WrittenOffset,
    decode_written_offset,
    written_offset_key,
    written_offsets_topic,
)

# It is read from its beginning, and what is in the newest segment is not compacted.
_CONFIGS = (("segment.bytes", str(64 * 1024 * 1024)),)


class WrittenOffsets:
    """
    Reads and writes the topic of a flow. All of it belongs to one thread.

    Args:
        flow: The flow.
        topic: The topic.
        admin: The control plane of the cluster that has it.
        reader: Reads it.
    """

    def __init__(
        self, flow: Flow, topic: InternalTopic, admin: ClusterAdmin, reader: RecordReader
    ) -> None:
        self._flow = flow
        self._topic = topic
        self._followed = FollowedTopic(topic.name, admin, reader)
        self._found: dict[bytes, bytes] = {}  # as they lie there: few are ever looked at
        self._is_fresh = False
        self._unwritten: dict[bytes, bytes] = {}
        self._is_refused = False

    def add(self, offsets: Iterable[WrittenOffset]) -> None:
        """Take what a cluster has taken; it counts, but is not safe before `write`."""
        self._unwritten.update(each.encode() for each in offsets)

    def write(self) -> None:
        """
        Write down what was added.

        Raises:
            ClusterError: It could not be written; it will be the next time.
        """
        if self._unwritten and not self._is_refused:
            self._write(InternalRecord(key=key, value=at) for key, at in self._unwritten.items())
        self._unwritten.clear()

    def look_again(self) -> None:
        """Read what was written since, by whomever, before anything is looked up the next time."""
        self._is_fresh = False

    def find(self, cluster: str, group: str, partition: TopicPartition) -> WrittenOffset | None:
        """
        Return what was committed for a group last.

        Args:
            cluster: The alias of the cluster that it was committed on.
            group: The group.
            partition: The partition of that cluster.

        Returns:
            The offset; `None` when nothing is known of one.

        Raises:
            ClusterError: The topic could not be read.
        """
        self._refresh()
        key = written_offset_key(cluster, group, partition)
        return decode_written_offset(key, self._unwritten.get(key) or self._found.get(key))

    def all_of(self, cluster: str) -> Iterator[WrittenOffset]:
        """
        Yield all that were committed on a cluster.

        Raises:
            ClusterError: The topic could not be read.
        """
        self._refresh()
        for key, value in self._found.items():
            written = decode_written_offset(key, value)
            if written is not None and written.cluster == cluster:
                yield written

    def forget_all_but(self, cluster: str, groups: Collection[str]) -> None:
        """
        Take groups out of the topic that a cluster does not have any more.

        Args:
            cluster: Its alias.
            groups: Those that it has.

        Raises:
            ClusterError: The topic could not be read or written.
        """
        self.look_again()
        gone = [each for each in self.all_of(cluster) if each.group not in groups]
        keys = [written_offset_key(each.cluster, each.group, each.partition) for each in gone]
        if keys and not self._is_refused:
            self._write(InternalRecord(key=key, value=None) for key in keys)

    def _refresh(self) -> None:
        if self._is_fresh:
            return
        try:
            self._followed.read_if_there(self._take)
        except NotAuthorized as error:
            self._tell(error)
        self._is_fresh = True

    def _take(self, key: bytes | None, value: bytes | None, _at_ms: int) -> None:
        if key is None:
            return
        if value is None:
            self._found.pop(key, None)
        else:
            self._found[key] = value

    def _write(self, records: Iterable[InternalRecord]) -> None:
        try:
            self._topic.write(records)
        except NotAuthorized as error:
            self._tell(error)

    def _tell(self, error: NotAuthorized) -> None:
        if not self._is_refused:
            emit(GROUP_OFFSETS_UNREMEMBERED, flow=self._flow, error=error)
        self._is_refused = True


def open_written_offsets(config: FlowConfig, clients: FlowClients, ends: Ends) -> WrittenOffsets:
    """
    Open what is remembered of a flow's groups; the topic is made when it is first written to.

    Args:
        config: The flow.
        clients: Its clients.
        ends: Both ends; only the target is asked.
    """
    topic = InternalTopic(
        written_offsets_topic(config.flow),
        clients.target,
        ends.target_writer,
        replication_factor=config.offset_storage_replication_factor,
        configs=_CONFIGS,
    )
    return WrittenOffsets(config.flow, topic, clients.target, ends.target_reader)
