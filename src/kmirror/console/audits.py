"""What audits have found, as the targets have it written down, and as a page for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kmirror.api.audits import (
    Audited,
    AuditView,
    PartitionAudit,
    PartitionAuditList,
    TopicAudit,
    TopicAuditList,
    WindowList,
    WindowView,
)
from kmirror.audit.standing import FlowStanding, flow_standing, summary
from kmirror.audit.survey import LOOKS_INSIDE
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.console.audit_report import audit_report, can_report
from kmirror.console.audit_views import AuditViews, audit_views, window_view
from kmirror.console.kept_answers import KeptAnswers
from kmirror.ends.clients import open_clients
from kmirror.errors import MirrorError, NotFound
from kmirror.model import Flow, TopicPartition
from kmirror.state.audit_figures import AuditFigures
from kmirror.wire.audit_windows import AuditVerdict
from kmirror.wire.audits import audit_topic

_KEEP_S = 10.0
_MERGES = "an alias topic has no copy that could be compared"
OPEN = "open"
"""Asks for all windows that are not identical."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditChoice:
    """
    Which partitions, or windows, of a flow's audit are asked for.

    Args:
        topic: Only those of one topic.
        verdict: Only those with this verdict; of windows, `OPEN` for all that are not identical.
        text: Only those with it in `topic-partition`; of windows, or in their words.
        offset, limit: Which of them.
    """

    topic: str | None = None
    verdict: str | None = None
    text: str | None = None
    offset: int = 0
    limit: int = 1000


Stand = Callable[[FlowConfig], FlowStanding]
"""Reads how a flow stands."""
AuditFiguresOf = Callable[[Flow], AuditFigures | None]
"""What a driver knows of the audit of a flow; nothing where there is none."""


def standing_reader(clock: Clock) -> Stand:
    """
    Return what asks the clusters of a flow.

    Args:
        clock: Where time comes from.
    """

    def read(config: FlowConfig) -> FlowStanding:
        with closing(open_clients(config, clock)) as clients:
            return flow_standing(config, clients, clock, lambda _topic: True)

    return read


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """What was read of a flow."""

    standing: FlowStanding
    views: AuditViews


class Audits:
    """
    Reads what audits have found; nothing is compared, and nothing written.

    Args:
        stand: Reads it.
        figures: What a driver knows beside that.
        key: Gives the file with the private key that reports are signed with; `None` for none.
        by: Who writes reports, for people.
        clock: Where time comes from.
    """

    def __init__(
        self,
        stand: Stand,
        figures: AuditFiguresOf,
        key: Callable[[], Path | None],
        by: str,
        clock: Clock,
    ) -> None:
        self._stand = stand
        self._figures = figures
        self._key = key
        self._by = by
        self._clock = clock
        self._kept = KeptAnswers[_Read](_KEEP_S, clock)
        self._reports = KeptAnswers[bytes](_KEEP_S, clock)

    def view(self, config: FlowConfig) -> AuditView:
        """
        Say how far a flow is audited.

        Args:
            config: The flow.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
        """
        found = self._read(config)
        views, figures = found.views, self._figures(config.flow)
        at_ms, by = views.last or (None, "")
        audit = config.audit
        return AuditView(
            flow=str(config.flow),
            verdict=views.verdict,
            words=_words(config, found),
            is_on=audit.enabled and not config.policy.merges,
            off_words=_off_words(config),
            as_of_ms=found.standing.read_ms,
            last_ms=at_ms,
            by=by,
            windows=views.counts,
            partitions=len(views.partitions),
            share=views.share,
            behind=found.standing.behind,
            records_per_s=None if views.rate is None else views.rate.records_per_s,
            bytes_per_s=None if views.rate is None else views.rate.bytes_per_s,
            bytes_per_s_max=audit.bytes_per_second,
            interval_s=audit.interval_s,
            caught_up_ms=None if figures is None else figures.caught_up_ms or None,
            has_report=can_report(),
            is_signed=self._key() is not None,
        )

    def tried(self, config: FlowConfig) -> AuditView:
        """Say the same, or why it is not known; see `view`."""
        try:
            return self.view(config)
        except MirrorError as error:
            return AuditView(
                flow=str(config.flow),
                verdict=Audited.UNKNOWN,
                words=str(error),
                is_on=config.audit.enabled and not config.policy.merges,
                off_words=_off_words(config),
                bytes_per_s_max=config.audit.bytes_per_second,
                interval_s=config.audit.interval_s,
                has_report=can_report(),
                is_signed=self._key() is not None,
                error=str(error),
            )

    def topics(self, config: FlowConfig) -> TopicAuditList:
        """
        Return a flow's topics, the worst first.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
        """
        found = self._read(config)
        return TopicAuditList(as_of_ms=found.standing.read_ms, topics=found.views.topics)

    def topic(self, config: FlowConfig, topic: str) -> TopicAudit:
        """
        Return one of them.

        Raises:
            NotFound: The flow does not copy such a topic, or has not begun to.
            ClusterError: One of the clusters does not answer, or refuses.
        """
        for each in self._read(config).views.topics:
            if each.topic == topic:
                return each
        raise NotFound(f"{config.flow} copies no topic {topic} that could be audited")

    def partitions(self, config: FlowConfig, asked: AuditChoice) -> PartitionAuditList:
        """
        Return a flow's partitions, the worst first.

        Args:
            config: The flow.
            asked: Which of them.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
        """
        found, wanted = self._read(config), (asked.text or "").casefold()
        chosen = [
            each
            for each in found.views.partitions
            if asked.topic in {None, each.topic}
            and asked.verdict in {None, each.verdict.value}
            and wanted in f"{each.topic}-{each.partition}".casefold()
        ]
        return PartitionAuditList(
            as_of_ms=found.standing.read_ms,
            total=len(chosen),
            partitions=tuple(chosen[asked.offset : asked.offset + asked.limit]),
        )

    def windows(self, config: FlowConfig, asked: AuditChoice) -> WindowList:
        """
        Return windows that are kept, those that differ first.

        Args:
            config: The flow.
            asked: Which of them.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
        """
        found, wanted = self._read(config), (asked.text or "").casefold()
        is_open = asked.verdict == OPEN
        chosen = [
            each
            for each in found.views.windows
            if asked.topic in {None, each.partition.topic}
            and (asked.verdict in {None, each.verdict.value} or is_open)
            and not (is_open and each.verdict is AuditVerdict.IDENTICAL)
            and (not wanted or wanted in f"{each.partition} {each.words}".casefold())
        ]
        return WindowList(
            as_of_ms=found.standing.read_ms,
            total=len(chosen),
            windows=tuple(map(window_view, chosen[asked.offset : asked.offset + asked.limit])),
        )

    def windows_of(
        self, config: FlowConfig, partitions: Iterable[PartitionAudit]
    ) -> tuple[WindowView, ...]:
        """
        Return the windows of some partitions.

        Args:
            config: The flow.
            partitions: They.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
        """
        by_partition = self._read(config).views.by_partition
        places = (TopicPartition(each.topic, each.partition) for each in partitions)
        return tuple(
            window_view(window) for place in places for window in by_partition.get(place, ())
        )

    def report(self, config: FlowConfig) -> bytes:
        """
        Write what was found as one page that needs nothing else; signed where there is a key.

        Args:
            config: The flow.

        Raises:
            ClusterError: One of the clusters does not answer, or refuses.
            EnvironmentProblem: The key cannot be read, or what draws the page is not installed.
        """
        return self._reports.get(config.flow, lambda: self._report(config))

    def _report(self, config: FlowConfig) -> bytes:
        standing = self._read(config).standing
        return audit_report(standing, self._key(), self._by, self._clock)

    def _read(self, config: FlowConfig) -> _Read:
        def read() -> _Read:
            standing = self._stand(config)
            return _Read(standing=standing, views=audit_views(standing))

        return self._kept.get(config.flow, read)


def _words(config: FlowConfig, found: _Read) -> str:
    if found.views.last is None:
        # A topic that a login may not see is not there for it: nobody else can tell.
        words = f"nothing was audited yet, as far as this login sees {audit_topic(config.flow)}"
        return f"{words} on {config.flow.target}"
    return summary(found.standing)


def _off_words(config: FlowConfig) -> str:
    if config.policy.merges:
        return _MERGES
    if not config.audit.enabled:
        return "it is switched off"
    return LOOKS_INSIDE if config.looks_inside_records else ""
