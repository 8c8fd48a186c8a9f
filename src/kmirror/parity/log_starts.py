"""Keeps the beginnings of copies where their partitions begin, round by round."""

from __future__ import annotations

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.log_starts import LogStartOutcome, apply_log_starts, survey_log_starts
from kmirror.events.deletions import COPY_TRIMMED, COPY_UNTRIMMED
from kmirror.events.emit import emit
from kmirror.model import TopicPartition
from kmirror.plans.log_starts import LogStartFacts


class LogStartSync:
    """
    The beginnings of one flow's copies. What stays is told once, not every time.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
    """

    def __init__(self, config: FlowConfig, clients: FlowClients, clock: Clock) -> None:
        self._config = config
        self._clients = clients
        self._clock = clock
        # What has been looked up: the offset map is read only when something has moved.
        self._seen: frozenset[LogStartFacts] = frozenset()
        self._told: frozenset[tuple[TopicPartition, str]] = frozenset()

    def sync(self) -> LogStartOutcome:
        """
        Look once, and delete what follows.

        Raises:
            ClusterError: A cluster did not answer.
        """
        survey = survey_log_starts(self._config, self._clients, self._clock, seen=self._seen)
        outcome = apply_log_starts(self._clients, survey.plan)
        for start in outcome.trimmed:
            emit(
                COPY_TRIMMED,
                flow=self._config.flow,
                topic=start.target.topic,
                partition=start.target.partition,
                reason=str(start),
            )
        refused = frozenset((each.start.target, str(each)) for each in outcome.failed)
        for target, reason in sorted(refused - self._told):
            emit(
                COPY_UNTRIMMED,
                flow=self._config.flow,
                topic=target.topic,
                partition=target.partition,
                reason=reason,
            )
        self._told = refused
        again = {each.start.source for each in outcome.failed}
        again |= {each.source for each in outcome.trimmed}
        again |= {each.source for each in outcome.unknown}
        self._seen = frozenset(each for each in survey.facts if each.source not in again)
        return outcome
