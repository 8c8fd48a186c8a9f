"""Audits one flow: from where it was on, up to what is copied by now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace

from kmirror.admin.followed_topic import FollowedTopic
from kmirror.audit.beginnings import Beginnings
from kmirror.audit.choice import bytes_per_offset, choose
from kmirror.audit.judge import Judge
from kmirror.audit.next_window import AuditFacts
from kmirror.audit.outcome import AuditStep
from kmirror.audit.survey import AuditSurvey, survey_audit
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.audit_log import write_audits
from kmirror.ends.clients import FlowClients
from kmirror.ends.copy_generations import with_readable_generations
from kmirror.ends.discovery import Discovery, Mirrored
from kmirror.ends.flow_ends import open_ends
from kmirror.ends.translation import translator_from_outside
from kmirror.model import TopicPartition
from kmirror.offsets.exact import Pair
from kmirror.pipeline.window_hashes import WindowHashes
from kmirror.plans.audit_book import AuditBook
from kmirror.wire.audit_windows import AuditWindow
from kmirror.wire.audits import Audit, audit_topic

Told = Callable[[AuditStep], None]
"""Is given what was found by each read."""


class FlowAudit:
    """
    The audit of one flow. Close it.

    Args:
        config: The flow.
        clients: Its clients.
        hashes: Count and hash windows.
        clock: Where time comes from.
        by: Who audits, for people.
        selects: Which topics of the source; all by default.

    Raises:
        ClusterError: The target did not answer.
    """

    def __init__(
        self,
        config: FlowConfig,
        clients: FlowClients,
        hashes: WindowHashes,
        clock: Clock,
        *,
        by: str,
        selects: Callable[[str], bool] = lambda _topic: True,
    ) -> None:
        self._config = with_readable_generations(config, clients)
        self._clients = clients
        self._clock = clock
        self._by = by
        self._selects = selects
        self._opened = ExitStack()
        timeout_s = config.admin_timeout_s
        with ExitStack() as undo:
            undo.push(self._opened)
            self._ends = open_ends(
                self._opened, self._config, clients, timeout_s=timeout_s, clock=clock
            )
            self._translator = translator_from_outside(self._config, self._ends)
            undo.pop_all()
        topic = audit_topic(config.flow)
        self._followed = FollowedTopic(topic, clients.target, self._ends.target_reader)
        self._judge = Judge(self._config, clients, self._ends, hashes, clock=clock, by=by)
        self._beginnings = Beginnings(self._translator, clock)
        self.book = AuditBook()

    def close(self) -> None:
        """Let go of connections."""
        self._opened.close()

    def look(self, *, again: bool = False) -> AuditSurvey:
        """
        Read what was audited, and how far both sides are.

        Args:
            again: Forget where the audit was: everything is to be compared anew.

        Raises:
            ClusterError: One of the clusters could not be asked.
        """
        mirrored = self._mirrored()
        self._read_book()
        survey = survey_audit(self._config, self._clients, mirrored, self.book, again=again)
        self._translator.follow(mirrored)
        self._translator.look_again()
        self._translator.refresh()
        return survey

    def run(
        self,
        survey: AuditSurvey,
        *,
        is_over: Callable[[], bool],
        told: Told,
        bytes_per_second: int,
    ) -> bool:
        """
        Compare what is left, read by read, and write down what is found after each.

        Args:
            survey: What there is.
            is_over: Ends it between two reads.
            told: Is given what each read found.
            bytes_per_second: How fast each side is read; 0 for as fast as it can.

        Returns:
            Whether *is_over* has ended it before all of the survey was compared.

        Raises:
            ClusterError: A cluster does not answer, or refuses to be read or written.
            PipelineError: Spark did not do it.
        """
        left = {facts.source: facts for facts in survey.facts}
        place_from = self._beginnings.of(survey.facts, is_over=is_over)
        while left:
            windows = choose(
                sorted(left.values(), key=self._waits_since),
                {partition: bytes_per_offset(self.book, partition) for partition in left},
                place_from,
                records_max=self._config.audit.window_records,
                bytes_per_second=bytes_per_second,
            )
            if not windows:
                return False
            if is_over():  # some beginnings may not have been looked for
                return True
            step = self._judge.judge(windows, bytes_per_second=bytes_per_second)
            self._write(step.windows)
            told(step)
            ends = {
                each.partition: Pair(source=each.end, target=each.copy_end) for each in step.windows
            }
            # A partition that has given nothing waits for the next round.
            asked = {each.facts.source for each in windows}
            left = {
                partition: replace(facts, next=ends.get(partition, facts.next))
                for partition, facts in left.items()
                if partition not in asked or (partition in ends and partition not in step.troubles)
            }
        return False

    def _mirrored(self) -> Sequence[Mirrored]:
        discovery = Discovery(self._config, self._clients.source, self._clients.target, self._clock)
        return [
            each
            for each in discovery.present()
            if not each.merged and self._selects(each.source.topic)
        ]

    def _read_book(self) -> None:
        self._followed.read_if_there(lambda key, value, _at_ms: self.book.take(key, value))

    def _waits_since(self, facts: AuditFacts) -> tuple[int, TopicPartition]:
        audit = self.book.audits.get(facts.source)
        return (0 if audit is None else audit.at_ms, facts.source)

    def _write(self, windows: Sequence[AuditWindow]) -> None:
        if not windows:
            return
        # Others compare, too: a difference that they have found must not be overwritten.
        self._read_book()
        by_partition: dict[TopicPartition, list[AuditWindow]] = defaultdict(list)
        for window in windows:
            by_partition[window.partition].append(window)
        audits: list[Audit] = []
        gone: list[bytes] = []
        for partition, news in by_partition.items():
            ids = news[0].topic_id, news[0].copy_id
            audit = self.book.audit_of(partition, ids) or Audit(
                partition=partition,
                topic_id=ids[0],
                copy_id=ids[1],
                ranges=(),
                at_ms=news[-1].at_ms,
                by=self._by,
            )
            audit, keys = self.book.replaced(audit, news)
            audits.append(audit)
            gone += keys
        write_audits(self._config, self._clients, audits, windows=windows, gone=gone)
        for window in windows:
            self.book.take(*window.encode())
        for audit in audits:
            self.book.take(*audit.encode())
        for key in gone:
            self.book.take(key, None)
