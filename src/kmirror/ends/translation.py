"""Translates offsets of a running flow: the map's topic, the lanes' reports, and gaps filled."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from queue import SimpleQueue
from threading import Lock
from uuid import UUID

from kmirror.admin.adopt import LogSide
from kmirror.admin.followed_topic import FollowedTopic
from kmirror.admin.internal_writer import InternalRecord
from kmirror.admin.map_gap import read_hole
from kmirror.config.flows import FlowConfig
from kmirror.ends.discovery import Mirrored
from kmirror.ends.flow_ends import Ends
from kmirror.errors import ClusterError, NotAuthorized
from kmirror.events.emit import emit
from kmirror.events.table import OFFSET_MAP_FILLED, OFFSET_MAP_PRUNED, OFFSET_MAP_UNKNOWABLE
from kmirror.model import Flow, TopicPartition
from kmirror.offsets.exact import Gap, Pair
from kmirror.offsets.live import LiveMaps
from kmirror.pipeline.desk import LaneReport
from kmirror.wire.flow_names import offset_map_topic, position_group
from kmirror.wire.offset_runs import Chunk, chunk_place, decode_chunk, encode_chunk
from kmirror.wire.position import decode_position
from kmirror.wire.topic_ids import topic_id_of, topic_id_text

# Filling a gap means reading up to 65,536 records on both sides.
_HOLES_PER_ROUND = 4
# A partition of which nothing was written down is read this often, from its end on, and no further.
_LOOKS_MAX = 50


def translator_from_outside(config: FlowConfig, ends: Ends) -> Translator:
    """
    Open what is known of a flow, whether or not somebody drives it.

    Args:
        config: The flow.
        ends: Both ends; only the target is asked.

    Raises:
        ClusterError: The target did not answer.
    """
    topic = offset_map_topic(config.flow)
    return Translator(
        config.flow,
        topic if ends.target.topic(topic) is not None else "",
        ends,
        changed=config.changed_columns,
    )


class Translator:
    """
    Knows where every offset of a flow's source partitions is on the target.

    `refresh` and `to_target` belong to one thread, `follow` and `add` to another one: in its order
    what is known of a topic that was made anew is forgotten before anything of the new one comes.

    Args:
        flow: The flow.
        topic: The topic of the exact offset map; empty when it is not kept.
        ends: Both ends.
        changed: The columns that the flow's SQL may change.
    """

    def __init__(self, flow: Flow, topic: str, ends: Ends, *, changed: Collection[str]) -> None:
        self._flow = flow
        self._topic = topic
        self._followed = FollowedTopic(topic, ends.target, ends.target_reader)
        self._ends = ends
        self._changed = changed
        self._maps = LiveMaps()
        self._lock = Lock()  # of the maps
        self._copies: dict[TopicPartition, Mirrored] = {}
        self._new: SimpleQueue[TopicPartition] = SimpleQueue()
        self._wanted: dict[TopicPartition, int] = {}
        self._anchored: set[TopicPartition] = set()
        self._looks: Counter[TopicPartition] = Counter()
        self._unknowable: set[tuple[TopicPartition, Gap]] = set()
        self._obsolete: set[bytes] = set()  # keys of chunks that will never count again

    def follow(self, mirrored: Iterable[Mirrored], *, cut: Collection[TopicPartition] = ()) -> None:
        """
        Take over what is mirrored from now on.

        Args:
            mirrored: All of it.
            cut: Partitions of which one log was cut: what is known of them may be wrong.
        """
        copies = {copy.source: copy for copy in mirrored}
        for partition, copy in copies.items():
            if self._copies.get(partition) != copy or partition in cut:
                with self._lock:
                    self._maps.forget(partition)
                self._new.put(partition)
        self._copies = copies

    def add(self, report: LaneReport) -> None:
        """Add what a lane reports to have committed."""
        for entry in report.partitions:
            if entry.copied is not None:
                copied = entry.copied
                with self._lock:
                    self._maps.add_copied(entry.source, copied.start, copied.end, copied.runs)

    def copy_of(self, partition: TopicPartition) -> TopicPartition | None:
        """Return the target partition of a source partition; `None` when it is not mirrored."""
        copy = self._copies.get(partition)
        return None if copy is None else copy.target

    def refresh(self) -> None:
        """
        Read what has been written to the map's topic, and fill gaps that were met.

        Raises:
            ClusterError: A cluster could not be read.
        """
        while not self._new.empty():
            self._anchored.discard(self._new.get())
            self._followed.begin_anew()  # its chunks may have been passed by
        self._read_chunks()
        self._read_positions()
        wanted, self._wanted = self._wanted, {}
        # Those that nobody has looked at come first: one that cannot be read holds up no other.
        gaps = sorted(
            (item for item in wanted.items() if self._is_gap(*item)),
            key=lambda item: (self._looks[item[0]], item[0]),
        )
        trouble = None
        for partition, offset in gaps[:_HOLES_PER_ROUND]:
            try:
                self._fill(partition, offset)
            except ClusterError as error:
                trouble = trouble or error
        if trouble is not None:
            raise trouble

    def settle(self, ask: Callable[[], object]) -> None:
        """
        Find out all that can be found out of what is asked for.

        Args:
            ask: Asks for all of it.

        Raises:
            ClusterError: A cluster could not be read.
        """
        self.refresh()
        ask()
        while not self.is_settled:
            before = self._looks.total()
            looks = [
                self._looks[at] for at, offset in self._wanted.items() if self._is_gap(at, offset)
            ]
            if looks and min(looks) >= _LOOKS_MAX:
                return
            self.refresh()
            ask()
            if self._looks.total() == before:
                return

    def to_target(self, partition: TopicPartition, offset: int) -> int | None:
        """
        Say where on the target one goes on who has everything before *offset* of the source.

        Returns:
            The target offset; `None` while it is not known. It will be, after some `refresh`.
        """
        found = self._find(partition, offset)
        if isinstance(found, Pair):
            return found.target
        if (partition, found) in self._unknowable:
            # Never beyond: what lies between is read again rather than left out.
            return None if found.before is None else found.before.target
        self._wanted[partition] = offset
        if found.after is None:
            self._anchored.discard(partition)  # the position has gone on since
        return None

    def to_source(self, partition: TopicPartition, offset: int) -> int | None:
        """
        Say where in the source one goes on who has everything before *offset* of the target.

        Args:
            partition: The *source* partition.
            offset: An offset of its copy.

        Returns:
            The source offset; `None` where that is not known, perhaps not yet.
        """
        with self._lock:
            found = self._maps.to_source(partition, offset)
        if isinstance(found, Pair):
            return found.source
        if found.after is None or (partition, found) in self._unknowable:
            # Behind everything that was copied there are only markers.
            return None if found.before is None else found.before.source
        self._wanted[partition] = found.after.source - 1
        return None

    def place_from(self, partition: TopicPartition, offset: int) -> Pair | None:
        """
        Return the first place at or behind a source offset that is known on both sides.

        Nothing is read for it; `None` when all that is known lies before it.
        """
        found = self._find(partition, offset)
        return found if isinstance(found, Pair) else found.after

    def is_exact(self, partition: TopicPartition, offset: int) -> bool:
        """Return whether `to_target` repeats nothing: not where records cannot be told apart."""
        return isinstance(self._find(partition, offset), Pair)

    def why_unknown(self, partition: TopicPartition, offset: int, *, back: bool = False) -> str:
        """
        Say why there is no answer for an offset, once `is_settled`.

        Args:
            partition: The *source* partition.
            offset: Its offset, or, with *back*, one of its copy.
            back: It was asked where that is in the source.
        """
        with self._lock:
            ask = self._maps.to_source if back else self._maps.to_target
            found = ask(partition, offset)
        if isinstance(found, Pair) or (found.before is None and found.after is None):
            return f"nothing is known to be copied of {partition}"
        if found.after is None:
            assert found.before is not None, "one of both is there"
            return f"not copied yet: {partition} is copied up to {found.before.source}"
        begin = found.after.target if back else found.after.source
        missing = "" if self._topic else "the flow keeps no exact offset map, and "
        return f"{missing}what is known of this partition begins at {begin}"

    def prune(self) -> None:
        """
        Take out of the map's topic what lies before the beginnings of both logs.

        Raises:
            ClusterError: A cluster could not be asked, or did not take it.
        """
        if not self._topic:
            return
        self.refresh()
        copies, ends = self._copies, self._ends
        sources = ends.source.offsets(copies, "earliest", partial=True)
        there = [copy.target for copy in copies.values()]
        targets = ends.target.offsets(there, "earliest", partial=True)
        keys: list[bytes] = []
        for partition, copy in copies.items():
            if partition in sources and copy.target in targets:
                starts = sources[partition], targets[copy.target]
                with self._lock:
                    keys += self._maps.drop_before(partition, *starts)
        keys += self._obsolete
        self._obsolete.clear()
        if keys:
            self._write(InternalRecord(key=key, value=None) for key in keys)
            emit(OFFSET_MAP_PRUNED, flow=self._flow, chunk_count=len(keys))

    def look_again(self) -> None:
        """Read at the next `refresh` how far the flow is by then."""
        self._anchored.clear()

    @property
    def is_settled(self) -> bool:
        """Whether everything that was asked for has its answer."""
        return not self._wanted

    def _read_chunks(self) -> None:
        if self._topic:
            self._followed.read(self._take)

    def _take(self, key: bytes | None, value: bytes | None, _at_ms: int) -> None:
        chunk = decode_chunk(key, value)
        if chunk is None or key is None or value is None:
            if value is None and (place := chunk_place(key)) is not None:
                with self._lock:
                    self._maps.drop_chunk(*place)
            return
        if self._counts(chunk):
            self._add(chunk, key, value)
            self._obsolete.discard(key)
        elif chunk.partition in self._copies:
            self._obsolete.add(key)  # it speaks of a topic that was made anew since

    def _add(self, chunk: Chunk, key: bytes, value: bytes) -> None:
        with self._lock:
            self._maps.add_chunk(chunk, key, value)

    def _find(self, partition: TopicPartition, offset: int) -> Pair | Gap:
        with self._lock:
            return self._maps.to_target(partition, offset)

    def _is_gap(self, partition: TopicPartition, offset: int) -> bool:
        """Whether it is mirrored, and something is known behind it, from which to look."""
        found = self._find(partition, offset)
        is_open = isinstance(found, Gap) and found.after is not None
        return is_open and partition in self._copies

    def _counts(self, chunk: Chunk) -> bool:
        """Whether a chunk speaks of the topics that are mirrored now."""
        copy = self._copies.get(chunk.partition)
        return (
            copy is not None
            and _same(chunk.source_id, copy.topic_id)
            and _same(chunk.target_id, copy.target_id)
        )

    def _read_positions(self) -> None:
        """Add the committed position, which is exact whether or not the map has it."""
        new = {
            copy.position: source
            for source, copy in self._copies.items()
            if source not in self._anchored
        }
        if not new:
            return
        positions = self._ends.target.group_positions(position_group(self._flow), tuple(new))
        for target, position in positions.items():
            metadata = decode_position(position.metadata)
            if metadata is not None:
                place = Pair(source=position.offset, target=metadata.target_offset)
                with self._lock:
                    self._maps.add_place(new[target], place)
        self._anchored.update(new.values())

    def _fill(self, partition: TopicPartition, offset: int) -> None:
        """Read a gap on both sides and write it down: it is one no more."""
        gap = self._find(partition, offset)
        copy = self._copies.get(partition)
        if isinstance(gap, Pair) or copy is None or gap.after is None:
            return  # another thread has moved on
        ends = self._ends
        self._looks[partition] += 1
        chunk = read_hole(
            LogSide(admin=ends.source, reader=ends.source_reader, partition=copy.source),
            LogSide(admin=ends.target, reader=ends.target_reader, partition=copy.target),
            gap,
            changed=self._changed,
        )
        if chunk is None:
            self._unknowable.add((partition, gap))
            emit(
                OFFSET_MAP_UNKNOWABLE,
                flow=self._flow,
                topic=partition.topic,
                partition=partition.partition,
                offset=None if gap.before is None else gap.before.source,
                end_offset=gap.after.source,
            )
            return
        source_id, target_id = topic_id_of(copy.topic_id), topic_id_of(copy.target_id)
        chunk = replace(chunk, source_id=source_id, target_id=target_id)
        key, value = encode_chunk(chunk)
        self._add(chunk, key, value)
        emit(
            OFFSET_MAP_FILLED,
            flow=self._flow,
            topic=partition.topic,
            partition=partition.partition,
            offset=chunk.start,
            end_offset=chunk.end,
        )
        self._write([InternalRecord(key=key, value=value)])

    def _write(self, records: Iterable[InternalRecord]) -> None:
        if self._topic:
            # Without it another process reads the records again: no harm.
            with suppress(NotAuthorized):
                self._ends.target_writer.write(self._topic, records)


def _same(topic_id: UUID | None, text: str) -> bool:
    """Whether an id is the one that Java prints as *text*; what is unknown is no contradiction."""
    return topic_id is None or not text or topic_id_text(topic_id) == text
