"""A topic of one partition, of which each look reads what has come since the last one."""

from __future__ import annotations

from collections.abc import Callable

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.reader import RecordReader, StoredRecord
from kmirror.model import TopicPartition

Take = Callable[[bytes | None, bytes | None, int], None]
"""Is given a record's key, value, and time in milliseconds since the epoch."""


class FollowedTopic:
    """
    Knows up to where the topic was read. All of it belongs to one thread.

    Args:
        name: The topic's.
        admin: The control plane of the cluster that has it.
        reader: Reads it.
    """

    def __init__(self, name: str, admin: ClusterAdmin, reader: RecordReader) -> None:
        self._place = TopicPartition(name, 0)
        self._admin = admin
        self._reader = reader
        # `None` before the first look: the log's first offset.
        self._next: int | None = None

    def read(self, take: Take) -> None:
        """
        Read on.

        Raises:
            ClusterError: It was not read to its end; the next look begins where this one did.
        """
        self._next = self._reader.read_on(self._admin, self._place, take, start=self._next)

    def read_records(self, take: Callable[[StoredRecord], None]) -> None:
        """Do the same for whoever needs the offsets of records."""
        self._next = self._reader.read_records_on(self._admin, self._place, take, start=self._next)

    def read_if_there(self, take: Take) -> None:
        """Do the same, and nothing as long as nobody has made the topic."""
        if self._next is not None or self._admin.topic(self._place.topic) is not None:
            self.read(take)

    def begin_anew(self) -> None:
        """Have the next look begin with the log's first record."""
        self._next = None
