"""What only the clusters know: plans, groups, translated offsets, where names lead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from kmirror.admin.base import ClusterAdmin
from kmirror.api.answers import (
    GroupList,
    GroupPlaceView,
    GroupView,
    LogicalTopic,
    PlanView,
    Translation,
)
from kmirror.apps.logical import LogicalTopics
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.config.load import MirrorConfig
from kmirror.console.asked_places import asked_place
from kmirror.console.kept_answers import KeptAnswers
from kmirror.control.targets import SeekTarget
from kmirror.ends.clients import FlowClients
from kmirror.ends.copy_generations import open_readable
from kmirror.errors import BadRequest, NotFound
from kmirror.groups.group_survey import GroupSurveyor
from kmirror.model import Flow, TopicPartition
from kmirror.parity.asked_plan import ask_plan
from kmirror.parity.plan_steps import plan_steps
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.plans.places import GroupPlace, GroupSurvey
from kmirror.plans.topics import is_topic_name
from kmirror.policy.lag_verdicts import Trend
from kmirror.state.group_lags import GroupLag

_KEEP_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenGroups:
    """
    What a driver knows of the groups of a flow.

    Args:
        lags: How far each is behind on the source.
        checkpointed_ms: When all their checkpoints were up to date last; `None` for never.
    """

    lags: Mapping[str, GroupLag] = field(default_factory=dict)
    checkpointed_ms: int | None = None


SeenGroupsOf = Callable[[Flow], SeenGroups]
"""Gives that; nothing of a flow that is not driven here."""


class Questions:
    """
    Asks the clusters. Nothing is changed on them, but for gaps of the offset map that are filled.

    Args:
        config: Gives the file as it is now.
        kafka: Gives what opens Kafka's own clients.
        seen: What a driver knows of them.
        clock: Where time comes from.
    """

    def __init__(
        self,
        config: Callable[[], MirrorConfig],
        kafka: Callable[[], JvmClients],
        seen: SeenGroupsOf,
        clock: Clock,
    ) -> None:
        self._config = config
        self._kafka = kafka
        self._seen = seen
        self._clock = clock
        self._plans = KeptAnswers[PlanView](_KEEP_S, clock)
        self._groups = KeptAnswers[GroupList](_KEEP_S, clock)
        self._names = KeptAnswers[LogicalTopic](_KEEP_S, clock)
        self._translations = KeptAnswers[Translation](_KEEP_S, clock)

    def plan(self, config: FlowConfig) -> PlanView:
        """
        Return what would be changed on a flow's target, besides records.

        Args:
            config: The flow.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
        """
        return self._plans.get(config.flow, lambda: self._plan(config))

    def groups(self, config: FlowConfig) -> GroupList:
        """
        Return where the groups of a flow are, and where they go on.

        Args:
            config: The flow.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
            EnvironmentProblem: There is no Java to ask with.
        """
        return self._groups.get(config.flow, lambda: self._all_groups(config))

    def group(self, config: FlowConfig, group: str) -> GroupView:
        """
        Return one of them.

        Raises:
            NotFound: There is none of that name.
        """
        for each in self.groups(config).groups:
            if each.group == group:
                return each
        raise NotFound(f"{config.flow} knows no group {group}")

    def translate(
        self, config: FlowConfig, place: TopicPartition, offset: int, *, back: bool
    ) -> Translation:
        """
        Return the offset of the other cluster.

        Args:
            config: The flow.
            place, offset: Where one is.
            back: On the target.

        Raises:
            NotFound: No topic can have that name.
            ClusterError: One of the clusters does not answer, or refuses.
            EnvironmentProblem: There is no Java to ask with.
        """
        _require_topic_name(place.topic)
        return self._translations.get(
            (config.flow, place, offset, back),
            lambda: self._translate(config, place, offset, back=back),
        )

    def translate_at(
        self, config: FlowConfig, place: TopicPartition, at: str, *, back: bool
    ) -> Translation:
        """
        Do the same from an offset or a time on.

        Args:
            config: The flow.
            place: The partition.
            at: `earliest`, `latest`, an offset, or a time: that of the first record that is not
                older, or of the log's end.
            back: On the target.

        Raises:
            BadRequest: It is none of these.
            NotFound: There is no such partition.
            ClusterError: One of the clusters does not answer, or refuses.
            EnvironmentProblem: There is no Java to ask with.
        """
        asked = asked_place(at)
        _require_topic_name(place.topic)
        offset = asked.offset
        if offset is None:
            with open_readable(config, self._clock) as (_, clients):
                offset = _offset_of(clients.target if back else clients.source, place, asked)
        return self.translate(config, place, offset, back=back)

    def _translate(
        self, config: FlowConfig, place: TopicPartition, offset: int, *, back: bool
    ) -> Translation:
        asked = Translation(
            flow=str(config.flow),
            topic=place.topic,
            partition=place.partition,
            offset=offset,
            side="target" if back else "source",
        )
        with self._surveyor(config) as surveyor:
            found = surveyor.find(place, offset, back=back)
            if found is None:
                why = surveyor.why_unknown(place, offset, back=back)
                return _with(asked, why_unknown=why)
            there, at = found
            is_exact = back or not surveyor.repeats(place, offset)
        return _with(
            asked,
            other_topic=there.topic,
            other_partition=there.partition,
            other_offset=at,
            is_exact=is_exact,
        )

    def logical(self, region: str, topic: str) -> LogicalTopic:
        """
        Return where applications of a region find a topic.

        Args:
            region: The alias of the applications' own cluster.
            topic: Its name where it is written.

        Raises:
            NotFound: There is no such cluster.
            BadRequest: No topic can have that name.
            ClusterError: The cluster to work with does not answer, or refuses.
        """
        return self._names.get((region, topic), lambda: self._logical(region, topic))

    def _plan(self, config: FlowConfig) -> PlanView:
        with open_readable(config, self._clock) as (current, clients):
            plan = ask_plan(current, clients, self._clock, "kmirror console")
        return PlanView(
            flow=str(config.flow),
            as_of_ms=self._clock.wall_ms(),
            changes=bool(plan),
            is_possible=plan.is_possible,
            syncs_settings=plan.syncs_settings,
            steps=plan_steps(plan),
        )

    def _all_groups(self, config: FlowConfig) -> GroupList:
        with open_readable(config, self._clock) as (current, clients):
            with self._surveyor(current, clients) as surveyor:
                survey = surveyor.survey()
            here = sorted({place.here for place in survey.places})
            there = sorted({place.there for place in survey.places})
            ends = clients.source.offsets(here, "latest", partial=True)
            copy_ends = clients.target.offsets(there, "latest", partial=True)
        seen, places = self._seen(config.flow), _places(survey, ends, copy_ends)
        names = {*survey.groups, *(each.group for each in survey.unknown), *survey.refused}
        allows = config.consumers.group_filter().allows
        return GroupList(
            as_of_ms=self._clock.wall_ms(),
            checkpointed_ms=seen.checkpointed_ms,
            groups=tuple(
                _group(str(config.flow), name, survey, places.get(name, ()), seen.lags.get(name))
                for name in sorted(names)
                # Of groups that the file does not name nothing is to be said.
                if name not in survey.refused or allows(name)
            ),
        )

    def _logical(self, region: str, topic: str) -> LogicalTopic:
        try:
            names = LogicalTopics(self._config(), region=region)
        except ValueError as error:
            raise NotFound(str(error)) from error
        with names:
            try:
                place = names.resolve(topic)
            except ValueError as error:
                raise BadRequest(str(error)) from error
        return LogicalTopic(
            region=region,
            topic=topic,
            cluster=place.cluster,
            bootstrap_servers=place.bootstrap_servers,
            pattern=place.pattern,
            topics=place.topics,
            write=place.write,
            why=place.why,
        )

    @contextmanager
    def _surveyor(
        self, config: FlowConfig, clients: FlowClients | None = None
    ) -> Iterator[GroupSurveyor]:
        if clients is None:
            with (
                open_readable(config, self._clock) as (current, own),
                self._surveyor(current, own) as surveyor,
            ):
                yield surveyor
            return
        timeout_s, flow, kafka = config.admin_timeout_s, config.flow, self._kafka()
        with GroupSurveyor(
            config,
            clients,
            source=kafka.open_groups(flow.source, config.source_admin, timeout_s),
            target=kafka.open_groups(flow.target, config.target_admin, timeout_s),
            allowed=config.consumers.group_filter().allows,
            clock=self._clock,
        ) as surveyor:
            yield surveyor


def _require_topic_name(text: str) -> None:
    """Refuse what clients of Kafka do not even ask for."""
    if not is_topic_name(text):
        raise NotFound(f"no topic can be called {text}")


def _offset_of(admin: ClusterAdmin, place: TopicPartition, asked: SeekTarget) -> int:
    """Return where a partition has what was asked for: its end, where all records are older."""
    found: Mapping[TopicPartition, int] = {}
    if asked.at_ms is not None:
        found = admin.offsets_at([place], asked.at_ms)
    if place not in found:
        found = admin.offsets([place], "earliest" if asked.end == "earliest" else "latest")
    if place not in found:
        raise NotFound(f"there is no {place} there, or its offsets are not known")
    return found[place]


def _with(asked: Translation, **found: object) -> Translation:
    return Translation(
        flow=asked.flow,
        topic=asked.topic,
        partition=asked.partition,
        offset=asked.offset,
        side=asked.side,
        **found,  # type: ignore[arg-type]  # by the names of the fields
    )


def _places(
    survey: GroupSurvey,
    ends: Mapping[TopicPartition, int],
    copy_ends: Mapping[TopicPartition, int],
) -> Mapping[str, Sequence[GroupPlaceView]]:
    """Return where each group is: in one pass, whatever their number."""
    found: dict[str, list[GroupPlaceView]] = {}
    for each in survey.places:
        found.setdefault(each.group, []).append(_place(each, survey, ends, copy_ends))
    for unknown in survey.unknown:
        end = ends.get(unknown.partition)
        found.setdefault(unknown.group, []).append(
            GroupPlaceView(
                topic=unknown.partition.topic,
                partition=unknown.partition.partition,
                offset=unknown.offset,
                source_end=end,
                source_lag=_behind(end, unknown.offset),
                copy="",
                goes_on=None,
                committed=None,
                note=unknown.why,
            )
        )
    return found


def _group(
    flow: str,
    name: str,
    survey: GroupSurvey,
    places: Sequence[GroupPlaceView],
    lag: GroupLag | None,
) -> GroupView:
    known = [each.source_lag for each in places if each.source_lag is not None]
    there = [each.target_lag for each in places if each.target_lag is not None]
    return GroupView(
        flow=flow,
        group=name,
        is_active=name in survey.active,
        is_followed=name not in survey.refused,
        source_lag=sum(known) if known else None,
        target_lag=sum(there) if there else None,
        lag_seconds=None if lag is None else lag.seconds,
        verdict="" if lag is None else lag.verdict.name,
        trend=Trend.UNKNOWN.value if lag is None else lag.trend.value,
        places=tuple(sorted(places, key=lambda each: (each.topic, each.partition))),
        note=survey.refused.get(name) or survey.unread.get(name) or survey.held.get(name, ""),
    )


def _place(
    place: GroupPlace,
    survey: GroupSurvey,
    ends: Mapping[TopicPartition, int],
    copy_ends: Mapping[TopicPartition, int],
) -> GroupPlaceView:
    end, copy_end = ends.get(place.here), copy_ends.get(place.there)
    note = "" if survey.is_in_use(place) else place.wrong_start()
    return GroupPlaceView(
        topic=place.here.topic,
        partition=place.here.partition,
        offset=place.offset,
        source_end=end,
        source_lag=_behind(end, place.offset),
        copy=place.there.topic,
        goes_on=place.goes_on,
        committed=place.committed,
        target_lag=None if place.committed is None else _behind(copy_end, place.committed),
        note=note,
    )


def _behind(end: int | None, offset: int) -> int | None:
    return None if end is None else max(0, end - offset)
