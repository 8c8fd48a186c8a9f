"""What only the clusters know of one topic: why it is copied, or not, and its records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.next_record import Log
from kmirror.admin.reader import RecordReader
from kmirror.admin.record_tail import RECORDS_MAX, RecordTail, SeenLog, SeenRecord
from kmirror.api.topic_answers import (
    Content,
    ExplanationView,
    Form,
    HeaderView,
    LogView,
    ReasonView,
    RecordList,
    RecordPairView,
    RecordView,
    TopicSettingsView,
)
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig, MirrorLines
from kmirror.console.asked_places import asked_place, is_on_target
from kmirror.console.kept_answers import KeptAnswers
from kmirror.console.questions import Questions
from kmirror.console.settings_compared import compared_settings
from kmirror.control.caller import Caller, Role
from kmirror.control.targets import SeekTarget
from kmirror.ends.clients import FlowClients
from kmirror.ends.copy_generations import open_readable
from kmirror.errors import (
    BadRequest,
    MirrorError,
    NotAllowed,
    NotFound,
    one_line,
    visible,
)
from kmirror.events.console import RECORDS_READ
from kmirror.events.emit import emit
from kmirror.inspect.grant_commands import grant_command
from kmirror.inspect.record_pairs import RecordPair, in_step
from kmirror.inspect.topic_explanation import TopicExplainer
from kmirror.model import TopicPartition
from kmirror.plans.explanation import Explanation, Reason
from kmirror.wire.flow_names import position_group
from kmirror.wire.position import position_place

COUNT = 20
_KEEP_S = 10.0
_TOLD_S = 60.0
_WATCH_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsAsked:
    """
    Which records of a partition and of its copy are asked for.

    Args:
        at: From where on: `earliest`, an offset, or a time; `latest` or `None` for the last ones.
        side: The cluster that an offset is of, one of `SIDES`.
        count: So many of each side at most.
        follows: It is one of many looks in a row: it is told of once a minute.
    """

    at: str | None = None
    side: str = "source"
    count: int = COUNT
    follows: bool = False


class TopicQuestions:
    """
    Asks the clusters about one topic. Nothing is changed on them.

    Args:
        config: Gives the file as it is now.
        lines: Gives the lines that a flow comes from; raises EnvironmentProblem without them.
        questions: Translates offsets.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Callable[[], MirrorConfig],
        lines: Callable[[FlowConfig], MirrorLines],
        questions: Questions,
        clock: Clock,
    ) -> None:
        self._config = config
        self._lines = lines
        self._questions = questions
        self._clock = clock
        self._explanations = KeptAnswers[ExplanationView](_KEEP_S, clock)
        self._settings = KeptAnswers[TopicSettingsView](_KEEP_S, clock)
        self._told = KeptAnswers[bool](_TOLD_S, clock)

    def explain(self, config: FlowConfig, topic: str) -> ExplanationView:
        """
        Say why a topic is copied, or is not.

        Args:
            config: The flow.
            topic: Its name on the source; it need not be there.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
            EnvironmentProblem: The file cannot be read any more.
        """
        return self._explanations.get((config.flow, topic), lambda: self._explain(config, topic))

    def settings(self, config: FlowConfig, topic: str) -> TopicSettingsView:
        """
        Return the settings of a topic and of its copy.

        Args:
            config: The flow.
            topic: Its name on the source.

        Raises:
            NotFound: The flow does not copy such a topic.
            ClusterError: One of the clusters does not answer, or may not be asked.
        """
        _require_copied(config, topic)

        def ask() -> TopicSettingsView:
            with open_readable(config, self._clock) as (current, clients):
                return compared_settings(current, clients, topic, self._clock)

        return self._settings.get((config.flow, topic), ask)

    def require_records(self, caller: Caller) -> None:
        """
        Refuse to show records to whoever may not see them.

        Args:
            caller: Who asks.

        Raises:
            NotAllowed: The role is a lesser one, or the file lets nobody see them.
        """
        role = self._config().console.records_role
        if role == "none":
            raise NotAllowed("the file shows records to nobody: kmirror.console.records.role")
        caller.require(Role[role.upper()], "look at records")

    def records(
        self, config: FlowConfig, place: TopicPartition, asked: RecordsAsked, caller: Caller
    ) -> RecordList:
        """
        Return records of a partition, and of its copy.

        Args:
            config: The flow.
            place: The partition, on the source.
            asked: Which of its records.
            caller: Who asks.

        Raises:
            NotAllowed: They may not.
            NotFound: The flow does not copy such a topic.
            BadRequest: That is no place in a log.
            ClusterError: The source does not answer, or refuses.
        """
        self.require_records(caller)
        _require_copied(config, place.topic)
        if not 1 <= asked.count <= RECORDS_MAX:
            raise BadRequest(f"limit: expected an integer from 1 to {RECORDS_MAX}")
        is_on_target(asked.side)
        begin = asked_place(asked.at or "latest")

        def tell() -> bool:
            emit(
                RECORDS_READ,
                flow=config.flow,
                topic=place.topic,
                partition=place.partition,
                caller=caller.name,
                role=caller.role.label,
                address=caller.address,
            )
            return True

        if asked.follows:
            self._told.get((config.flow, place, caller.name, caller.address), tell)
        else:
            tell()
        with open_readable(config, self._clock) as (current, clients):
            return self._records(current, clients, place, begin, asked)

    def _explain(self, config: FlowConfig, topic: str) -> ExplanationView:
        lines = self._lines(config)
        with open_readable(config, self._clock) as (current, clients):
            explainer = TopicExplainer(lines, current, clients, self._clock, watch_s=_WATCH_S)
            found = explainer.explain(topic)
        return self._explained(config, found)

    def _explained(self, config: FlowConfig, found: Explanation) -> ExplanationView:
        whole = self._config()
        return ExplanationView(
            flow=str(config.flow),
            topic=found.topic,
            copy=found.copy,
            verdict=found.verdict.value,
            partitions=found.partitions,
            lag_records=found.lag_records,
            as_of_ms=self._clock.wall_ms(),
            reasons=tuple(_reason(whole, each) for each in found.reasons),
        )

    def _records(
        self,
        config: FlowConfig,
        clients: FlowClients,
        place: TopicPartition,
        begin: SeekTarget,
        asked: RecordsAsked,
    ) -> RecordList:
        copy = TopicPartition(config.topic_selection().remote_topic(place.topic), place.partition)
        back = is_on_target(asked.side)
        here = self._over_there(config, copy, begin, back=True) if back else begin
        with self._tail(config, clients, back=False) as tail:
            source = _read(tail, place, here, asked.count)
        problem, target = "", SeenLog(start=0, end=0)
        try:
            there = begin if back else self._over_there(config, place, begin, back=False)
            with self._tail(config, clients, back=True) as tail:
                target = _read(tail, copy, there, asked.count)
        except MirrorError as error:
            problem = str(error)
        position = None if problem else _position(config, clients, place, copy)
        pairs = in_step(
            source.records, target.records, position=position, from_end=begin.end == "latest"
        )
        flow = config.flow
        return RecordList(
            flow=str(flow),
            partition=place.partition,
            as_of_ms=self._clock.wall_ms(),
            position=position,
            source=_log(flow.source, place.topic, source, ""),
            target=_log(flow.target, copy.topic, target, problem),
            records=tuple(map(_pair, pairs)),
        )

    def _over_there(
        self, config: FlowConfig, place: TopicPartition, begin: SeekTarget, *, back: bool
    ) -> SeekTarget:
        """Say where the same begins on the other cluster."""
        if begin.offset is None:
            return begin
        found = self._questions.translate(config, place, begin.offset, back=back)
        if found.other_offset is None:
            raise NotFound(f"where offset {begin.offset} is there: {found.why_unknown}")
        return SeekTarget(offset=found.other_offset)

    @contextmanager
    def _tail(
        self, config: FlowConfig, clients: FlowClients, *, back: bool
    ) -> Iterator[RecordTail]:
        admin: ClusterAdmin = clients.target if back else clients.source
        isolation = "read_committed" if back else config.isolation_level
        with RecordReader(
            clients.target_rdkafka if back else clients.source_rdkafka,
            cluster=f"cluster {config.flow.target if back else config.flow.source}",
            isolation=isolation,
            timeout_s=config.admin_timeout_s,
            clock=self._clock,
        ) as reader:
            log = Log(admin=admin, reader=reader)
            yield RecordTail(log, isolation=isolation, ignored=config.changed_columns)


def _require_copied(config: FlowConfig, topic: str) -> None:
    if not config.topic_selection().selects(topic):
        raise NotFound(f"{config.flow} does not copy a topic {topic}")


def _read(tail: RecordTail, place: TopicPartition, begin: SeekTarget, count: int) -> SeenLog:
    if begin.at_ms is not None:
        return tail.on_from_time(place, begin.at_ms, count)
    if begin.end == "latest":
        return tail.last(place, count)
    return tail.on_from(place, begin.offset or 0, count)


def _position(
    config: FlowConfig, clients: FlowClients, place: TopicPartition, copy: TopicPartition
) -> int | None:
    positions = clients.target.group_positions(position_group(config.flow))
    found = positions.get(position_place(place, copy, merged=config.policy.merges))
    return None if found is None else found.offset


def _reason(config: MirrorConfig, reason: Reason) -> ReasonView:
    def plain(text: str) -> str:
        # Where files lie on the machine is nobody's business who may only look.
        return text.replace(str(config.path), config.path.name)

    return ReasonView(
        kind=reason.kind,
        words=plain(reason.words),
        do=plain(reason.do),
        commands=tuple(grant_command(config.cluster(each.cluster), each) for each in reason.grants),
    )


def _log(cluster: str, topic: str, seen: SeenLog, problem: str) -> LogView:
    return LogView(
        cluster=cluster,
        topic=topic,
        start=None if problem else seen.start,
        end=None if problem else seen.end,
        is_cut=seen.is_cut,
        problem=problem,
    )


def _pair(pair: RecordPair) -> RecordPairView:
    return RecordPairView(
        presence=pair.presence.value,
        source=None if pair.source is None else _record(pair.source),
        target=None if pair.target is None else _record(pair.target),
    )


def _record(record: SeenRecord) -> RecordView:
    return RecordView(
        offset=record.offset,
        at_ms=record.at_ms,
        key=content(record.key, record.key_bytes),
        value=content(record.value, record.value_bytes),
        headers=tuple(
            HeaderView(name=one_line(each.name), value=content(each.value, each.value_bytes))
            for each in record.headers
        ),
        header_count=record.header_count,
    )


def content(part: bytes | None, size_bytes: int | None) -> Content | None:
    """
    Tell bytes as a text, if all of it can be seen, and as hexadecimal otherwise.

    Args:
        part: They, or the first of them; `None` for null.
        size_bytes: How many there are.
    """
    if part is None:
        return None
    size = len(part) if size_bytes is None else size_bytes
    text = _text(part, is_cut=len(part) < size)
    return Content(
        form=Form.HEX if text is None else Form.TEXT,
        text=part.hex(" ") if text is None else text,
        size_bytes=size,
        is_cut=len(part) < size,
    )


def _text(part: bytes, *, is_cut: bool) -> str | None:
    try:
        text = part.decode()
    except UnicodeDecodeError as error:
        # A character may have been cut in two.
        if not is_cut or error.start < len(part) - 3 or error.reason != "unexpected end of data":
            return None
        text = part[: error.start].decode()
    return text if visible(text) == text else None
