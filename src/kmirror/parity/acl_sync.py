"""Gives the target the source's ACLs, and tells what it has changed."""

from __future__ import annotations

from contextlib import ExitStack

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.created_acls import AclMemory, open_created_acls
from kmirror.ends.topic_acls import (
    AclOutcome,
    AclSurvey,
    apply_acls,
    gone_acls,
    gone_twice,
    survey_acls,
)
from kmirror.errors import MirrorError
from kmirror.events.emit import emit
from kmirror.events.topic_acls import TOPIC_ACLS_CHANGED, TOPIC_ACLS_KEPT, TOPIC_ACLS_LEFT
from kmirror.plans.acl_binding import AclBinding
from kmirror.plans.text import first_few


class AclSync:
    """
    The ACLs of one flow. What cannot be done is told once, not every time.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
        memory: Which ACLs it has created; by default it opens its own, when it is used first.
    """

    def __init__(
        self,
        config: FlowConfig,
        clients: FlowClients,
        clock: Clock,
        memory: AclMemory | None = None,
    ) -> None:
        self._config = config
        self._clients = clients
        self._clock = clock
        self._memory = memory
        self._opened = ExitStack()
        self._told = ""
        # What was to be removed the last time.
        self._gone: frozenset[AclBinding] = frozenset()

    def sync(self) -> AclOutcome:
        """
        Compare, create what the target lacks, and remove what is gone.

        Raises:
            ClusterError: A cluster did not answer.
        """
        config, clients = self._config, self._clients
        memory = self._memory_of(config)
        survey = self._confirmed(survey_acls(config, clients.source, clients.target, memory))
        outcome = apply_acls(clients.target, survey, memory)
        if outcome:
            created = [f"{new.binding.verb} {new}" for new in outcome.created]
            removed = [f"remove {gone}" for gone in outcome.removed]
            acls = [new.binding for new in outcome.created]
            acls += [gone.binding for gone in outcome.removed]
            emit(
                TOPIC_ACLS_CHANGED,
                flow=self._config.flow,
                acls=[*map(str, acls)],
                reason=first_few([*created, *removed]),
            )
        self._tell_left(survey, outcome)
        for failure in outcome.failed:
            if failure.error.retriable:
                raise failure.error
        return outcome

    def follow(self, config: FlowConfig) -> None:
        """Go on by *config*, with the next round."""
        self._config = config

    def close(self) -> None:
        """Let go of what was opened."""
        self._opened.close()

    def _memory_of(self, config: FlowConfig) -> AclMemory | None:
        if not config.acls.is_exact:
            return None
        if self._memory is None:
            self._memory = open_created_acls(self._opened, config, self._clients, self._clock)
        return self._memory

    def _confirmed(self, survey: AclSurvey) -> AclSurvey:
        """Leave what is gone for the first time until it is gone for the second."""
        before, self._gone = self._gone, gone_acls(survey)
        return gone_twice(survey, before)

    def _tell_left(self, survey: AclSurvey, outcome: AclOutcome) -> None:
        """Tell what is new of it: the same stays true for hours, and what comes back is new."""
        lasting = [each.error for each in outcome.failed if not each.error.retriable]
        left: MirrorError | None = survey.obstacle or (lasting[0] if lasting else None)
        words = "" if left is None else str(left)
        if left is not None and words != self._told:
            if survey.note:
                emit(TOPIC_ACLS_LEFT, flow=self._config.flow, error=left)
            else:
                emit(TOPIC_ACLS_KEPT, flow=self._config.flow, error=left)
        self._told = words
