"""The continuous audit of a running flow, in a thread of its own."""

from __future__ import annotations

import os
import platform
from collections import Counter
from contextlib import suppress

from kmirror.audit.audit import FlowAudit
from kmirror.audit.outcome import AuditStep, AuditTally
from kmirror.audit.survey import AuditSurvey
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterError, JvmLost, PipelineError
from kmirror.events.audits import (
    AUDIT_COMPLETE,
    AUDIT_CRASHED,
    AUDIT_DIFFERENT,
    AUDIT_FAILED,
    AUDIT_UNREADABLE,
)
from kmirror.events.emit import emit
from kmirror.pipeline.window_hashes import WindowHashes
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.schedule.throttle import Throttle
from kmirror.state.audit_figures import AuditFigures
from kmirror.state.meter import Meter
from kmirror.state.status import FlowState
from kmirror.wire.audit_windows import AuditVerdict


class Auditor:
    """
    Audits a flow as long as it runs, where the file wants it. Its trouble never stops the copy.

    Args:
        config: The flow.
        clients: Its clients; whoever opened them closes them.
        hashes: Count and hash windows.
        meter: Takes what is found.
        throttle: Keeps what of the flow's trouble is in the log already.
        clock: Where time comes from.
        bounded: The flow ends by itself: nothing is audited beside it.
    """

    def __init__(
        self,
        config: FlowConfig,
        clients: FlowClients,
        hashes: WindowHashes,
        *,
        meter: Meter,
        throttle: Throttle,
        clock: Clock,
        bounded: bool = False,
    ) -> None:
        self._config = config
        self._is_bounded = bounded
        self._clients = clients
        self._hashes = hashes
        self._meter = meter
        self._throttle = throttle
        self._clock = clock
        self._by = f"process {os.getpid()} on {platform.node()}"
        self._is_closed = False
        self._is_started = False
        self._audit: FlowAudit | None = None
        self._audited_by = config
        self._tally = AuditTally()
        self._caught_up_ms = 0
        self._has_told = False
        self._task = PeriodicTask(clock, config.audit.interval_s, self._round, at_once=True)
        self._thread = PeriodicThread("kmirror-audit", clock, self._failed, finish=self._end)
        self._thread.also(self._task)

    def start(self) -> None:
        """Begin, if the file wants it; an alias topic has no copy that could be compared."""
        has_copies = not self._config.policy.merges and not self._is_bounded
        if self._is_started:
            return
        if self._config.audit.enabled and has_copies:
            self._is_started = True
            self._thread.start()
        else:
            # An earlier start of the flow may have had one.
            self._meter.audit = None

    def follow(self, config: FlowConfig) -> None:
        """Go on by *config*."""
        self._config = config
        # What is being read comes to its end; the next look is by the new settings.
        self._task.change(config.audit.interval_s)
        self.start()

    def close(self, timeout_s: float) -> None:
        """
        Stop; what is being read is read again by whoever comes next.

        Args:
            timeout_s: How long to wait for the thread; 0 waits for nothing.
        """
        self._is_closed = True
        if self._is_started:
            with suppress(JvmLost):
                self._hashes.cancel()
            self._thread.close(timeout_s)

    def _round(self) -> None:
        if self._is_closed:
            return
        if not self._config.audit.enabled:
            self._end()
            # What was true then is no figure of now.
            self._meter.audit = None
            return
        try:
            self._audited()
        except (ClusterError, PipelineError) as error:
            # Another start knows nothing of what went wrong.
            self._end()
            is_away = isinstance(error, ClusterError) and error.retriable
            kind = FlowState.WAITING.value if is_away else AUDIT_FAILED.name
            if not self._is_closed and self._throttle.allows(kind):
                emit(AUDIT_FAILED, flow=self._config.flow, error=error)

    def _audited(self) -> None:
        config = self._config
        if self._audited_by is not config:
            self._end()
        if self._audit is None:
            self._audited_by = config
            self._audit = FlowAudit(config, self._clients, self._hashes, self._clock, by=self._by)
        audit = self._audit
        is_unfinished = True
        while is_unfinished and not self._is_obsolete(config):
            is_unfinished = self._go_on(audit, config)
        survey = audit.look()
        if not self._is_closed and not survey.behind:
            # Before a lane has copied anything, nothing is behind either.
            if not self._has_told and any(each.is_copied for each in survey.facts):
                emit(AUDIT_COMPLETE, flow=self._config.flow)
                self._has_told = True
            self._caught_up_ms = self._clock.wall_ms()
        self._tell(audit, survey)

    def _go_on(self, audit: FlowAudit, config: FlowConfig) -> bool:
        """
        Look what there is, and compare for an interval; tells whether something of it is left.

        A backlog may take days: meanwhile topics come, sources delete, and lags are read.
        """
        survey = audit.look()
        self._tell(audit, survey)
        until_s = self._clock.monotonic_s() + config.audit.interval_s

        def is_over() -> bool:
            return self._is_obsolete(config) or self._clock.monotonic_s() >= until_s

        def told(step: AuditStep) -> None:
            self._tally.add(step.windows)
            self._report(step)
            self._tell(audit, survey)

        return audit.run(
            survey,
            is_over=is_over,
            told=told,
            bytes_per_second=config.audit.bytes_per_second,
        )

    def _is_obsolete(self, config: FlowConfig) -> bool:
        return self._is_closed or self._config is not config

    def _report(self, step: AuditStep) -> None:
        for window in step.windows:
            if window.verdict.is_difference:
                emit(
                    AUDIT_DIFFERENT,
                    flow=self._config.flow,
                    topic=window.partition.topic,
                    partition=window.partition.partition,
                    offset=window.start,
                    end_offset=window.end,
                    verdict=window.verdict.value,
                    reason=window.words,
                )
        for partition, reason in step.troubles.items():
            if self._throttle.allows(f"{AUDIT_UNREADABLE.name} {partition}"):
                emit(
                    AUDIT_UNREADABLE,
                    flow=self._config.flow,
                    topic=partition.topic,
                    partition=partition.partition,
                    reason=reason,
                )

    def _tell(self, audit: FlowAudit, survey: AuditSurvey) -> None:
        """Hang up what is known for others."""
        standing: Counter[tuple[str, AuditVerdict]] = Counter()
        mirrored = {facts.source: (facts.topic_id, facts.copy_id) for facts in survey.facts}
        for window in audit.book.all_windows():
            ids = window.topic_id, window.copy_id
            if window.verdict is not AuditVerdict.IDENTICAL:
                standing[window.partition.topic, window.verdict] += (
                    mirrored.get(window.partition) == ids
                )
        self._meter.audit = AuditFigures(
            windows=dict(self._tally.windows),
            records=self._tally.records,
            bytes=self._tally.bytes,
            standing=dict(standing),
            behind=survey.behind,
            caught_up_ms=self._caught_up_ms,
            safe=survey.safe,
        )

    def _end(self) -> None:
        if self._audit is not None:
            self._audit.close()
            self._audit = None

    def _failed(self, error: Exception) -> bool:
        """Log an error that nobody foresaw and go on; clients that are closed end it."""
        if self._is_closed or isinstance(error, JvmLost):
            return False
        self._end()
        if self._throttle.allows(f"audit {type(error).__name__}"):
            emit(AUDIT_CRASHED, flow=self._config.flow, error=error, trace=error)
        return True
