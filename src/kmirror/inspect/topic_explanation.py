"""Finds out why one topic of a flow is mirrored or not, from the file and both clusters."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

from kmirror.admin.owner_entry import OwnerEntry, lost_to, read_owner
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.config.keys.kmirror import ALIAS_PREFIX
from kmirror.config.load import MirrorLines
from kmirror.config.resolve import connector_properties
from kmirror.control.channel import read_orders
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import Discovery, causes_of, survey_flow_topics
from kmirror.ends.facts import FactsReader
from kmirror.ends.positions import parked_by
from kmirror.ends.topics import TopicSurvey, refusals
from kmirror.inspect.access import named_needs
from kmirror.inspect.overview import stretches
from kmirror.inspect.rights import ask_rights
from kmirror.model import TopicPartition
from kmirror.plans.access import Operation, copy_names, mirrored_names
from kmirror.plans.explanation import (
    PARKED_BY_ORDER,
    PAUSED,
    Explanation,
    NameList,
    Progress,
    Standing,
    TopicFacts,
    explain,
)
from kmirror.plans.grants import Grant, Need
from kmirror.plans.missing_rights import missing_rights
from kmirror.plans.topics import TopicPlan
from kmirror.plans.windows import WINDOW_KEY, rest_at
from kmirror.units import moment
from kmirror.wire.control_orders import PauseOrder, PauseVerb

_ALIKE_MAX = 5

_ENDS = {WINDOW_KEY: "it ends by itself"}


class TopicExplainer:
    """
    Explains topics of a flow; nothing is changed anywhere.

    Args:
        lines: The lines of the file.
        flow: The flow.
        clients: Its clients.
        clock: Where time comes from.
        watch_s: How long to look whether positions move, seconds.
    """

    def __init__(
        self,
        lines: MirrorLines,
        flow: FlowConfig,
        clients: FlowClients,
        clock: Clock,
        *,
        watch_s: float,
    ) -> None:
        self._lines = lines
        self._flow = flow
        self._clients = clients
        self._clock = clock
        self._watch_s = watch_s

    def explain(self, topic: str) -> Explanation:
        """
        Say why a topic is mirrored or not.

        Args:
            topic: Its name on the source.

        Raises:
            ClusterError: A cluster does not answer, or refuses.
        """
        survey = survey_flow_topics(self._flow, self._clients.source, self._clients.target)
        selection = self._flow.topic_selection()
        topics, exclude = self._lists()
        facts = TopicFacts(
            selection=selection,
            topics=topics,
            exclude=exclude,
            topic=topic,
            source=survey.source.get(topic),
            target=survey.target.get(selection.remote_topic(topic)),
            others=_alike(topic, survey),
        )
        if facts.source is None:
            hidden = self._missing(facts)
            is_hidden = any(Operation.READ in grant.operations for grant in hidden)
            facts = replace(facts, is_hidden=is_hidden, missing=hidden)
        elif selection.selects(topic):
            facts = self._of_selected(facts, survey)
        return explain(facts)

    def _lists(self) -> tuple[NameList, NameList]:
        """Return `topics` and `topics.exclude` with the lines that count."""
        flow = self._flow
        entries = connector_properties(self._lines.entries, flow.flow)
        topics = entries.get("topics")
        if flow.policy.merges:
            name = flow.policy.format_remote_topic(flow.flow.source, "")
            topics = self._lines.entries.get(f"{flow.flow.source}.{ALIAS_PREFIX}{name}")
        exclude = entries.get("topics.exclude")
        return (
            NameList(
                key="topics" if topics is None else topics.key,
                where="" if topics is None else topics.where,
                items=flow.topics,
            ),
            NameList(
                key="topics.exclude" if exclude is None else exclude.key,
                where="" if exclude is None else exclude.where,
                items=flow.topics_exclude,
            ),
        )

    def _of_selected(self, facts: TopicFacts, survey: TopicSurvey) -> TopicFacts:
        flow, clients = self._flow, self._clients
        missing = self._missing(facts)
        plan = TopicPlan(
            create=tuple(each for each in survey.plan.create if each.source_topic == facts.topic),
            problems=survey.plan.problems,
        )
        causes = {} if missing else causes_of(flow, plan, refusals(clients.target, plan))
        owner = read_owner(flow.flow, clients.target, flow.offset_storage_topic)
        return replace(
            facts,
            missing=missing,
            problem=causes.get(facts.copy),
            owner=_who(owner),
            held=lost_to(str(flow.flow), owner).message if owner and owner.is_hold else "",
            standing=(
                *self._ordered(facts, survey),
                *self._standing(facts.topic, was_started=owner is not None),
            ),
            progress=None if facts.target is None else self._progress(facts),
        )

    def _missing(self, facts: TopicFacts) -> tuple[Grant, ...]:
        """Return the ACLs that the topic lacks for what has to be done with it now."""
        found = named_needs(self._flow, [facts.topic])
        needs = [need for need in found.needs if _matters(need, facts)]
        if facts.source is None:
            needs = [need for need in needs if need.row.end == "source"]
        timeout_s = self._flow.admin_request_timeout_s
        rights = ask_rights(needs, found.logins, timeout_s=timeout_s, clock=self._clock)
        return missing_rights(needs, rights).missing

    def _ordered(self, facts: TopicFacts, survey: TopicSurvey) -> Iterator[Standing]:
        """Yield the partitions that an operator has paused or parked."""
        assert facts.source is not None
        target, rdkafka = self._clients.target, self._clients.target_rdkafka
        orders = read_orders(self._flow, target, rdkafka, survey.target, self._clock)
        places = [TopicPartition(facts.topic, at) for at in range(facts.source.partitions)]
        rest = rest_at(
            orders, self._flow.window, places, self._clock.wall_ms(), pause=self._flow.pause
        )
        for place, pause in rest.pauses.items():
            until = "" if pause.until_ms is None else f" until {moment(pause.until_ms)}"
            is_pause = pause.verb is PauseVerb.PAUSE
            yield Standing(
                partition=place.partition,
                kind=PAUSED if is_pause else PARKED_BY_ORDER,
                reason=f"{PAUSED if is_pause else 'parked'}{until}, {pause.author} "
                f"({self._end_of(pause)})",
            )

    def _end_of(self, pause: PauseOrder) -> str:
        """Say what ends a pause."""
        if pause == self._flow.pause:
            return "`PUT /connectors/NAME/resume` of Connect's REST API ends that"
        return _ENDS.get(pause.author.by, "`kmirror resume` ends that")

    def _standing(self, topic: str, *, was_started: bool) -> tuple[Standing, ...]:
        clients = self._clients
        present = Discovery(self._flow, clients.source, clients.target, self._clock).present()
        mirrored = [each for each in present if each.source.topic == topic]
        parks = FactsReader(self._flow, clients).standing(mirrored, group_is_older=was_started)
        copies = {each.source: each.target for each in mirrored}
        still = [copies[park.partition] for park in parks]
        newest_ms = clients.target.newest_ms(still) if still else {}
        return tuple(
            Standing(
                partition=park.partition.partition,
                kind=parked_by(park).kind,
                reason=park.why,
                last_ms=newest_ms.get(copies[park.partition]),
            )
            for park in parks
        )

    def _progress(self, facts: TopicFacts) -> Progress:
        assert facts.source is not None
        sizes = {facts.topic: facts.source.partitions}
        before = {each.partition: each for each in stretches(self._flow, self._clients, sizes)}
        behind = {tp for tp, each in before.items() if each.records and each.has_begun}
        stale: list[int] = []
        if behind and self._watch_s > 0:
            self._clock.wait(threading.Event(), self._watch_s)
            stale = [
                each.partition.partition
                for each in stretches(self._flow, self._clients, sizes)
                if each.partition in behind and each.start == before[each.partition].start
            ]
        return Progress(
            begun=sum(each.has_begun for each in before.values()),
            lag_records=sum(each.records for each in before.values()),
            stale=tuple(sorted(stale)),
            watched_s=self._watch_s,
        )


def _matters(need: Need, facts: TopicFacts) -> bool:
    """Whether the topic needs it as things are: what is there is neither created nor grown."""
    row = need.row
    if row.is_optional or row.names not in {mirrored_names, copy_names}:
        return False
    if Operation.ALTER_CONFIGS in row.operations:
        return False  # records are copied all the same
    there = 0 if facts.target is None else facts.target.partitions
    wanted = 0 if facts.source is None else facts.source.partitions
    if Operation.DESCRIBE_CONFIGS in row.operations:
        return facts.target is None
    return Operation.ALTER not in row.operations or 0 < there < wanted


def _alike(topic: str, survey: TopicSurvey) -> tuple[str, ...]:
    """Return the topics whose copy is called so, or that differ in little but case and signs."""
    plain = _plain(topic)
    return tuple(
        name
        for name in sorted(survey.source)
        if name != topic and (_plain(name) in plain or plain in _plain(name))
    )[:_ALIKE_MAX]


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _who(owner: OwnerEntry | None) -> str:
    if owner is None:
        return ""
    return str(owner.owner or f"generation {owner.generation}")
