"""Compares windows: first counts and hashes by Spark, then records where those differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from kmirror.audit.locate import Located, locate
from kmirror.audit.next_window import PlannedWindow
from kmirror.audit.outcome import AuditStep
from kmirror.clock import Clock
from kmirror.config.client_properties import ClientProperties
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.flow_ends import Ends
from kmirror.ends.gap_topic import GapTopic
from kmirror.errors import ClusterError
from kmirror.model import TopicPartition
from kmirror.pipeline.window_hashes import ReadWindow, WindowHashes, no_records
from kmirror.pipeline.window_plan import WindowRange, WindowSide
from kmirror.verify.run import compacted_topics
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow
from kmirror.wire.flow_names import client_id

_COMPACTED = "compacted: what one side forgets, the other may still have"


class Judge:
    """
    Compares windows of one flow.

    Args:
        config: The flow.
        clients: Its clients.
        ends: Read single records.
        hashes: Count and hash windows.
        clock: Where time comes from.
        by: Who compares, for people.
    """

    def __init__(
        self,
        config: FlowConfig,
        clients: FlowClients,
        ends: Ends,
        hashes: WindowHashes,
        *,
        clock: Clock,
        by: str,
    ) -> None:
        self._config = config
        self._clients = clients
        self._ends = ends
        self._hashes = hashes
        self._clock = clock
        self._by = by

    def judge(self, planned: Sequence[PlannedWindow], *, bytes_per_second: int) -> AuditStep:
        """
        Compare windows.

        Args:
            planned: Windows of a partition follow each other.
            bytes_per_second: How fast each side is read at most; 0 for as fast as it can.

        Raises:
            ClusterError: A cluster does not answer.
            PipelineError: Spark did not do it.
        """
        read = self._read(planned, bytes_per_second)
        windows: list[AuditWindow] = []
        troubles: dict[TopicPartition, str] = {}
        for number, window in enumerate(planned):
            partition = window.facts.source
            ours = read.get(2 * number, ReadWindow(hashed=no_records()))
            theirs = read.get(2 * number + 1, ReadWindow(hashed=no_records()))
            # Windows behind one that could not be read wait for it: they have to follow each other.
            trouble = troubles.get(partition) or _trouble(ours, theirs, window)
            if trouble:
                troubles[partition] = trouble
                continue
            windows.append(self._window(window, ours, theirs))
        same = self._same_topics(windows)
        return AuditStep(
            windows=tuple(each for each in windows if each.partition in same), troubles=troubles
        )

    def _read(
        self, planned: Sequence[PlannedWindow], bytes_per_second: int
    ) -> Mapping[int, ReadWindow]:
        ours: list[WindowRange] = []
        theirs: list[WindowRange] = []
        for number, window in enumerate(planned):
            if window.undecidable:
                continue
            facts, start, end = window.facts, window.start, window.end
            if start.source < end.source:
                ours.append(
                    WindowRange(
                        number=2 * number,
                        partition=facts.source,
                        start=start.source,
                        end=end.source,
                    )
                )
            if start.target < end.target:
                theirs.append(
                    WindowRange(
                        number=2 * number + 1,
                        partition=facts.target,
                        start=start.target,
                        end=end.target,
                    )
                )
        if not ours and not theirs:
            return {}
        flow = self._config.flow
        return self._hashes.read(
            WindowSide(name=f"{flow} source", consumer=self._clients.consumer, windows=tuple(ours)),
            WindowSide(
                name=f"{flow} target", consumer=copy_consumer(self._config), windows=tuple(theirs)
            ),
            bytes_per_second=bytes_per_second,
        )

    def _window(self, window: PlannedWindow, ours: ReadWindow, theirs: ReadWindow) -> AuditWindow:
        facts = window.facts
        found = self._found(window, ours, theirs)
        return AuditWindow(
            partition=facts.source,
            target=facts.target,
            topic_id=facts.topic_id,
            copy_id=facts.copy_id,
            start=window.start.source,
            end=window.end.source,
            copy_start=max(0, window.start.target),
            copy_end=window.end.target,
            verdict=found.verdict,
            source=ours.hashed,
            copy=theirs.hashed,
            kind=found.kind,
            offset=found.offset,
            copy_offset=found.copy_offset,
            words=found.words,
            at_ms=self._clock.wall_ms(),
            by=self._by,
        )

    def _found(self, window: PlannedWindow, ours: ReadWindow, theirs: ReadWindow) -> Located:
        if window.undecidable:
            return Located(verdict=AuditVerdict.UNDECIDABLE, words=window.undecidable)
        with_time = not theirs.stamped
        if _is_equal(ours, theirs, with_time=with_time):
            return Located(
                verdict=AuditVerdict.IDENTICAL, words="" if with_time else "without timestamps"
            )
        facts = window.facts
        if compacted_topics(self._clients.source, {facts.source.topic}) or compacted_topics(
            self._clients.target, {facts.target.topic}
        ):
            return Located(verdict=AuditVerdict.UNDECIDABLE, words=_COMPACTED)
        try:
            left_out = self._left_out(facts.source)
            return locate(self._ends, window, with_time=with_time, left_out=left_out)
        except ClusterError as error:
            if error.retriable:
                raise
            words = f"it differs, and could not be looked at record by record: {error}"
            return Located(verdict=AuditVerdict.UNDECIDABLE, words=words)

    def _left_out(self, partition: TopicPartition) -> Collection[range]:
        """Return the source offsets that the copy has gone on without, as the file says."""
        topic = GapTopic(
            self._config, self._clients.target, self._clients.target_rdkafka, self._clock
        )
        return [
            range(each.start, each.end)
            for each in topic.read()
            if each.is_left_out
            and (each.topic, each.partition) == partition
            and each.start is not None
            and each.end is not None
        ]

    def _same_topics(self, windows: Sequence[AuditWindow]) -> Collection[TopicPartition]:
        """Name the partitions whose topics are still those that were to be compared."""
        ours = self._clients.source.topic_ids({each.partition.topic for each in windows})
        theirs = self._clients.target.topic_ids({each.target.topic for each in windows})
        return {
            each.partition
            for each in windows
            if ours.get(each.partition.topic) == each.topic_id
            and theirs.get(each.target.topic) == each.copy_id
        }


def copy_consumer(config: FlowConfig) -> ClientProperties:
    """Return the properties of the consumers that read the copies."""
    return config.target_admin.with_defaults({"client.id": client_id(config.flow)}).overridden_by(
        {"isolation.level": "read_committed"}
    )


def _is_equal(ours: ReadWindow, theirs: ReadWindow, *, with_time: bool) -> bool:
    left, right = ours.hashed, theirs.hashed
    if left.records != right.records or left.content_hash != right.content_hash:
        return False
    return left.hash == right.hash or not with_time


def _trouble(ours: ReadWindow, theirs: ReadWindow, window: PlannedWindow) -> str:
    if ours.trouble:
        return f"{window.facts.source} from offset {window.start.source} on: {ours.trouble}"
    if theirs.trouble:
        return f"{window.facts.target} from offset {window.start.target} on: {theirs.trouble}"
    return ""
