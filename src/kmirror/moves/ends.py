"""Both ends of a flow, as a move of its groups needs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connection import Connected
from kmirror.admin.group_admin import GroupAdmin
from kmirror.admin.kafka_clients import KafkaClients
from kmirror.admin.next_record import Log
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients, open_clients
from kmirror.ends.copy_generations import with_readable_generations
from kmirror.ends.flow_ends import Ends, open_ends
from kmirror.errors import ClusterError, ClusterUnavailable
from kmirror.groups.checkpoint_survey import survey_checkpoints
from kmirror.groups.group_survey import GroupSurveyor, commit_places, look_there
from kmirror.groups.written_offsets import WrittenOffsets, open_written_offsets
from kmirror.inspect.overview import Uncopied, uncopied
from kmirror.model import Flow
from kmirror.moves.hold import FlowHold
from kmirror.plans.group_commits import all_held, refusals
from kmirror.plans.places import GroupPlace, GroupSurvey, joined


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveFlows:
    """
    The flows that a move has to do with.

    Args:
        main: The flow that was named.
        reverse: The one the other way; `None` when the file has none.
    """

    main: FlowConfig
    reverse: FlowConfig | None = None

    @classmethod
    def of(cls, main: FlowConfig, flows: Iterable[FlowConfig]) -> MoveFlows:
        """
        Find the flow the other way.

        Args:
            main: The flow that was named.
            flows: Those of the file.
        """
        other_way = Flow(main.flow.target, main.flow.source)
        reverse = next((each for each in flows if each.flow == other_way), None)
        return cls(main=main, reverse=reverse)

    @property
    def flow(self) -> Flow:
        """The flow that was named."""
        return self.main.flow


class MoveEnds(Connected):
    """
    Asks both clusters about groups that are to go from one to the other.

    Args:
        flows: The flows.
        back: Groups go to the flow's source.
        without_source: The source is not asked: it may be there in part.
        allowed: Which groups, by name.
        kafka: Opens Kafka's own clients.
        clock: Where time comes from.

    Raises:
        ClusterError: A cluster refused; or the target did not answer; or the source did not, when
            groups go there.
    """

    def __init__(
        self,
        flows: MoveFlows,
        *,
        back: bool,
        without_source: bool = False,
        allowed: Callable[[str], bool],
        kafka: KafkaClients,
        clock: Clock,
    ) -> None:
        self.flows = flows
        # Why the source was not heard; empty when it was.
        self.trouble = "as ordered: it is failed over without it" if without_source else ""
        self._is_asked = not without_source
        self._back = back
        self._allowed = allowed
        self._clock = clock
        with ExitStack() as opened:
            self.clients = self._open_clients(flows.main, opened)
            flows = replace(flows, main=with_readable_generations(flows.main, self.clients))
            self.flows = flows
            self.hold = FlowHold(flows.main, self.clients, kafka, clock)
            self.clients.target.describe()
            if self._is_asked:
                self.trouble = self._look_at_source()
            flow = flows.flow
            timeout_s = flows.main.admin_timeout_s
            self._target = kafka.open_groups(flow.target, flows.main.target_admin, timeout_s)
            opened.callback(self._target.close)
            self._source: GroupAdmin | None = None
            self._surveyors: list[tuple[GroupSurveyor, bool]] = []
            self._reverse: FlowClients | None = None
            self._from_outside: tuple[Ends, WrittenOffsets] | None = None
            if self.trouble:
                self._from_outside = self._open_target(opened)
            else:
                self._source = kafka.open_groups(flow.source, flows.main.source_admin, timeout_s)
                opened.callback(self._source.close)
                self._open_surveyors(self._source, opened)
            self._opened = opened.pop_all()

    def _look_at_source(self) -> str:
        """Say why it does not answer; groups can only leave it then."""
        try:
            self.clients.source.describe()
        except ClusterUnavailable as error:
            if self._back:
                raise
            return str(error)
        return ""

    def _open_clients(self, config: FlowConfig, opened: ExitStack) -> FlowClients:
        clients = open_clients(config, self._clock)
        opened.callback(clients.close)
        return clients

    def _open_target(self, opened: ExitStack) -> tuple[Ends, WrittenOffsets]:
        config = self.flows.main
        timeout_s = config.admin_timeout_s
        ends = open_ends(opened, config, self.clients, timeout_s=timeout_s, clock=self._clock)
        return ends, open_written_offsets(config, self.clients, ends)

    def _open_surveyors(self, source: GroupAdmin, opened: ExitStack) -> None:
        ends = {self.flows.flow.source: source, self.flows.flow.target: self._target}
        ways = [(self.flows.main, self.clients, self._back)]
        if self.flows.reverse is not None:
            self._reverse = self._open_clients(self.flows.reverse, opened)
            reverse = with_readable_generations(self.flows.reverse, self._reverse)
            self.flows = replace(self.flows, reverse=reverse)
            ways.append((reverse, self._reverse, not self._back))
        for config, clients, back in ways:
            surveyor = GroupSurveyor(
                config,
                clients,
                source=ends[config.flow.source],
                target=ends[config.flow.target],
                allowed=self._allowed,
                clock=self._clock,
            )
            self._surveyors.append((opened.enter_context(surveyor), back))

    @property
    def here(self) -> str:
        """The cluster that the groups come from."""
        return self.flows.flow.target if self._back else self.flows.flow.source

    @property
    def there(self) -> str:
        """The cluster that they go to."""
        return self.flows.flow.source if self._back else self.flows.flow.target

    @property
    def silence(self) -> str:
        """Say that the cluster that they come from was not heard; empty when it was."""
        if not self.trouble:
            return ""
        return f"{self.here} {'does not answer' if self._is_asked else 'is not asked'}"

    @property
    def there_groups(self) -> GroupAdmin:
        """The groups of the cluster that they go to."""
        if not self._back:
            return self._target
        assert self._source is not None, "it was there when this was opened"
        return self._source

    @property
    def is_copied(self) -> bool:
        """Whether records of the cluster that groups come from are copied where they go."""
        return not self._back or self.flows.reverse is not None

    def survey(self) -> GroupSurvey:
        """
        Say where all groups go on; from checkpoints when the source was not heard.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        if self._from_outside is not None:
            ends, written = self._from_outside
            config, clients, allowed = self.flows.main, self.clients, self._allowed
            return survey_checkpoints(config, clients, ends, self._target, written, allowed=allowed)
        found = GroupSurvey()
        for surveyor, back in self._surveyors:
            found = joined(found, surveyor.survey(back=back))
        return found

    def commit(self, places: Sequence[GroupPlace]) -> Mapping[str, ClusterError]:
        """
        Set offsets where groups go on.

        Args:
            places: Which; see `GroupSurvey.moves`.

        Returns:
            The groups that failed, and why.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        if self._from_outside is not None:
            _, written = self._from_outside
            at_ms, cluster = self._clock.wall_ms(), self.flows.flow.target
            return commit_places(places, self._target, written, cluster=cluster, at_ms=at_ms)
        failed: dict[str, ClusterError] = {}
        for surveyor, back in self._surveyors:
            reached = [place for place in places if surveyor.reaches(place.there, back=back)]
            failed |= surveyor.commit(reached, back=back)
        return failed

    def seen(self, survey: GroupSurvey) -> GroupSurvey:
        """
        Return a survey with what groups have committed by now where they go.

        Args:
            survey: What was seen before.

        Raises:
            ClusterError: The cluster could not be asked.
        """
        now = look_there(survey.places, self.there_groups)
        return replace(survey, places=now.places, held=now.held)

    def uncopied(self) -> tuple[Uncopied, ...]:
        """
        Return what the cluster that they go to lacks; nothing where no flow goes there.

        Heartbeats do not count: they go on while everything else stands still.

        Raises:
            ClusterError: A cluster could not be asked.
        """
        config, clients = self.flows.main, self.clients
        if self._back:
            if self.flows.reverse is None or self._reverse is None:
                return ()
            config, clients = self.flows.reverse, self._reverse
        is_heartbeat = config.policy.is_heartbeats_topic
        rest = uncopied(config, clients)
        return tuple(each for each in rest if not is_heartbeat(each.partition.topic))

    def active(self) -> tuple[str, ...]:
        """
        Return the groups that have members where they come from.

        Raises:
            ClusterError: The cluster could not be asked.
        """
        groups = self._target if self._back else self._source
        assert groups is not None, "who does not answer is not asked"
        states = groups.groups()
        followed = states.keys() - refusals(states, self._allowed).keys()
        return tuple(sorted(all_held(followed, states)))

    @contextmanager
    def logs(self) -> Iterator[tuple[Log, Log]]:
        """Open the records of the cluster that they come from, and of the one they go to."""
        with ExitStack() as opened:

            def log(alias: str, admin: ClusterAdmin, client: Mapping[str, Any]) -> Log:
                reader = RecordReader(
                    client,
                    cluster=f"cluster {alias}",
                    timeout_s=self.flows.main.admin_timeout_s,
                    clock=self._clock,
                )
                return Log(admin=admin, reader=opened.enter_context(reader))

            clients, flow = self.clients, self.flows.flow
            source = log(flow.source, clients.source, clients.source_rdkafka)
            target = log(flow.target, clients.target, clients.target_rdkafka)
            yield (target, source) if self._back else (source, target)

    def close(self) -> None:
        """Let go of connections."""
        self._opened.close()
