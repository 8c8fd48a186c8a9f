"""Writes dead letters to the topics that did not take them, each of them once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_topics import create_internal_topic
from kmirror.admin.log_bounds import log_start
from kmirror.admin.reader import RecordReader, headers_of
from kmirror.admin.transactional_writer import TransactionalWriter, WrittenRecord
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.control.dead_letters import DeadLetters
from kmirror.errors import ClusterError, ClusterUnavailable, NotAuthorized, RecordRefused
from kmirror.units import moment
from kmirror.wire.dead_letters import (
    DeadLetter,
    Headers,
    Replayed,
    replay_transactional_id,
    replays_topic,
)

# What a record and its batch need besides key, value and headers.
_OVERHEAD_BYTES = 100


class ReplayImpossible(Exception):
    """A dead letter cannot be replayed now; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """
    What became of one dead letter.

    Args:
        letter: Which.
        records: How many records were written, or would be; a batch has several.
        problem: Why none was, or could be; empty if nothing is wrong.
        replayed: When and by whom it was replayed before.
    """

    letter: DeadLetter
    records: int = 0
    problem: str = ""
    replayed: Replayed | None = None

    def words(self, *, dry_run: bool) -> str:
        """
        Say it in a line.

        Args:
            dry_run: Nothing was written.
        """
        if self.replayed is not None:
            return f"was replayed at {moment(self.replayed.at_ms)} by {self.replayed.by}"
        if self.problem:
            return f"cannot be replayed: {self.problem}"
        did = "would be replayed" if dry_run else "replayed"
        return f"{did} to {self.letter.target}-{self.letter.source.partition}"


class Replays:
    """
    Replays dead letters of a flow.

    Args:
        config: The flow.
        letters: Reads them.
        source, target: Control planes.
        source_reader: Reads the source, and checks what it reads.
        target_rdkafka: librdkafka settings for the target.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: FlowConfig,
        letters: DeadLetters,
        *,
        source: ClusterAdmin,
        target: ClusterAdmin,
        source_reader: RecordReader,
        target_rdkafka: Mapping[str, Any],
        clock: Clock,
    ) -> None:
        self._config = config
        self._letters = letters
        self._source = source
        self._target = target
        self._source_reader = source_reader
        self._target_rdkafka = target_rdkafka
        self._clock = clock
        self._settings: dict[str, Mapping[str, str | None]] = {}

    def plan(self, numbers: Sequence[int]) -> Iterator[Replay]:
        """
        Say what a replay would do; nothing is changed.

        Args:
            numbers: Which; others that are not there are left out.

        Raises:
            ClusterError: A cluster did not answer.
        """
        yield from self._each(numbers, None)

    def run(self, numbers: Sequence[int], by: str) -> Iterator[Replay]:
        """
        Replay them, one after the other, each in a transaction that also tells that it was.

        Args:
            numbers: Which; others that are not there are left out.
            by: Who does it, for people.

        Raises:
            ClusterError: The target did not answer; what was not told may be tried again.
        """
        with self._writing(by) as write:
            # Whoever was at it before can write no more, and what was open has ended: look now.
            yield from self._each(numbers, write)

    def _each(self, numbers: Sequence[int], write: _Write | None) -> Iterator[Replay]:
        done = self._letters.replayed()
        self._settings.clear()
        for number in numbers:
            letter = self._letters.letter(number)
            if letter is not None:
                yield self._one(letter, done.get(number), write)

    @contextmanager
    def _writing(self, by: str) -> Iterator[_Write]:
        topic, flow = replays_topic(self._config.flow), self._config.flow
        create_internal_topic(
            self._target,
            topic,
            partitions=1,
            replication_factor=self._config.offset_storage_replication_factor,
        )
        with TransactionalWriter(
            self._target_rdkafka,
            transactional_id=replay_transactional_id(flow),
            cluster=f"cluster {flow.target}",
            timeout_s=self._config.admin_timeout_s,
        ) as writer:
            yield _Write(writer, topic, self._letters.topic_id, by, self._clock)

    def _one(self, letter: DeadLetter, before: Replayed | None, write: _Write | None) -> Replay:
        if before is not None:
            return Replay(letter=letter, replayed=before)
        try:
            records = self._records(letter)
            self._check_taken(letter, records)
            if write is not None:
                write(letter, records)
        except (ReplayImpossible, RecordRefused) as problem:
            return Replay(letter=letter, problem=str(problem))
        return Replay(letter=letter, records=len(records))

    def _records(self, letter: DeadLetter) -> Sequence[WrittenRecord]:
        if not (letter.is_truncated or letter.is_batch):
            return [_written(letter, letter.key, letter.value, letter.headers, letter.timestamp_ms)]
        return self._read_again(letter)

    def _read_again(self, letter: DeadLetter) -> Sequence[WrittenRecord]:
        """Read from the source what was not kept, or could not be read."""
        what = "the batch" if letter.is_batch else "the record, of which only a part was kept,"
        if self._config.looks_inside_records:
            raise ReplayImpossible(f"{what} would have to be changed as the file says")
        self._check_source(letter, what)
        try:
            read = [
                _written(letter, m.key(), m.value(), headers_of(m), _time_of(m.timestamp()))
                for batch in self._source_reader.batches(
                    letter.source, letter.offset, letter.end, first_records=1
                )
                for m in batch
            ]
        except (ClusterUnavailable, NotAuthorized):
            raise
        except ClusterError as error:
            raise ReplayImpossible(f"{what} cannot be read from the source: {error}") from error
        if not read or not (letter.is_batch or _is_same(letter, read[0])):
            raise ReplayImpossible(f"{what} is no longer on the source")
        return read

    def _check_source(self, letter: DeadLetter, what: str) -> None:
        topic = letter.source.topic
        found = self._source.topic_ids([topic]).get(topic, "")
        state = self._source.topic(topic)
        is_there = state is not None and letter.source.partition < state.partitions
        if not is_there or log_start(self._source, letter.source) > letter.offset:
            raise ReplayImpossible(f"{what} is no longer on the source")
        if letter.topic_id and found and found != letter.topic_id:
            raise ReplayImpossible(f"{what} was in a topic that has been deleted")

    def _check_taken(self, letter: DeadLetter, records: Sequence[WrittenRecord]) -> None:
        """See whether the target would refuse it again, as far as its settings tell."""
        settings = self._target_settings(letter)
        limit = settings.get("max.message.bytes")
        size = max(map(_size, records)) + _OVERHEAD_BYTES
        if limit is not None and size > int(limit):
            raise ReplayImpossible(
                f"{letter.target} still takes {int(limit):,} bytes (max.message.bytes), and it "
                f"has {size:,}"
            )
        is_compacted = "compact" in (settings.get("cleanup.policy") or "")
        if is_compacted and any(record.key is None for record in records):
            raise ReplayImpossible(f"{letter.target} is still compacted, and it has no key")

    def _target_settings(self, letter: DeadLetter) -> Mapping[str, str | None]:
        """Ask once for the settings of its topic; none where they may not be read."""
        name = letter.target
        if name not in self._settings:
            topic = self._target.topic(name)
            if topic is None or letter.source.partition >= topic.partitions:
                raise ReplayImpossible(f"there is no {name} with its partition")
            found = self._target.readable_topic_configs([name]).entries.get(name, ())
            self._settings[name] = {entry.name: entry.value for entry in found}
        return self._settings[name]


class _Write:
    """Writes a letter's records, and that they were written."""

    def __init__(
        self, writer: TransactionalWriter, topic: str, dlq_id: str, by: str, clock: Clock
    ) -> None:
        self._writer = writer
        self._topic = topic
        self._dlq_id = dlq_id
        self._by = by
        self._clock = clock

    def __call__(self, letter: DeadLetter, records: Sequence[WrittenRecord]) -> None:
        replayed = Replayed(
            dlq_id=self._dlq_id, number=letter.number, at_ms=self._clock.wall_ms(), by=self._by
        )
        key, value = replayed.encode()
        told = WrittenRecord(topic=self._topic, partition=0, key=key, value=value)
        self._writer.write([*records, told])


def _written(
    letter: DeadLetter,
    key: bytes | None,
    value: bytes | None,
    headers: Headers,
    timestamp_ms: int | None,
) -> WrittenRecord:
    return WrittenRecord(
        topic=letter.target,
        partition=letter.source.partition,
        key=key,
        value=value,
        headers=headers,
        timestamp_ms=timestamp_ms,
    )


def _time_of(timestamp: tuple[int, int]) -> int | None:
    return timestamp[1] if timestamp[1] >= 0 else None


def _is_same(letter: DeadLetter, record: WrittenRecord) -> bool:
    """Whether what lies at its offset is what was left out."""
    sizes = (_length(record.key), _length(record.value), len(record.headers))
    return sizes == (letter.key_bytes, letter.value_bytes, letter.header_count)


def _length(part: bytes | None) -> int:
    return -1 if part is None else len(part)


def _size(record: WrittenRecord) -> int:
    headers = sum(len(name.encode()) + len(value or b"") + 2 for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers
