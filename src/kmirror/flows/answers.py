"""Since when a cluster, or Spark's JVM, has not answered: before any request gives up."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.connection import cluster_name
from kmirror.clock import Clock
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterUnavailable
from kmirror.model import Flow
from kmirror.schedule.periodic_task import PeriodicTask
from kmirror.schedule.periodic_thread import PeriodicThread
from kmirror.state.progress import Progress
from kmirror.state.status import StatusBoard

_ASK_INTERVAL_S = 2.0
# Brokers that act answer in milliseconds; on a slow link, what is copied is a sign of life, too.
_SILENT_S_MAX = 4.0
# Of a cluster whose brokers all refuse to be connected to, none will answer.
_UNREACHABLE_S_MAX = 1.0
_TICK_S = 0.5


class Answers:
    """
    Asks each cluster that has answered nobody for 2 s for a sign of life.

    Requests give up after `admin.timeout.ms`, which is longer than somebody wants to look at a
    flow that seems to run. Each cluster has a thread: what one of them takes long for, or does not
    answer, says nothing of the other. Only a question that waits tells of silence: with very many
    partitions it takes seconds until somebody has something to ask. Silence goes on the board from
    a thread of its own, since whoever looks after the flow may be waiting for the same cluster.

    Args:
        flow: Whose clusters they are.
        clients: Its clients.
        progress: How far it is: what is copied and committed, clusters have answered.
        board: Where silence is shown.
        of_jvm: Says that Spark's JVM does not answer; nobody has a deadline for its answers.
        clock: Where time comes from.
    """

    def __init__(
        self,
        flow: Flow,
        clients: FlowClients,
        progress: Progress,
        board: StatusBoard,
        *,
        of_jvm: Callable[[], str],
        clock: Clock,
    ) -> None:
        self._of_jvm = of_jvm
        self._progress = progress
        self._board = board
        source = cluster_name(flow.source, clients.source_rdkafka)
        target = cluster_name(flow.target, clients.target_rdkafka)
        self._source = _Asked(source, clients.source, clock, "kmirror-source-answers")
        self._target = _Asked(target, clients.target, clock, "kmirror-target-answers")
        # Both the thread that shows silence and whoever looks after the flow ask for it.
        self._noting = threading.Lock()
        self._seen = (0, 0)
        show = PeriodicThread("kmirror-silence", clock, lambda _: True, interval_s=_TICK_S)
        show.also(PeriodicTask(clock, 0.0, self.show))
        self._threads = (self._source.thread, self._target.thread, show)

    def start(self) -> None:
        """Begin to ask."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Stop; an answer that is still on its way is not waited for."""
        for thread in self._threads:
            thread.close()

    def show(self) -> None:
        """Put silence on the board; that it is over is for whoever knows of all troubles."""
        if silence := self.silence():
            self._board.wait_for(silence)

    def heard_source(self) -> None:
        """Note that the source has answered somebody."""
        self._source.heard()

    def heard_target(self) -> None:
        """Note that the target has answered somebody."""
        self._target.heard()

    def check(self) -> None:
        """
        Tell whether a cluster has refused everybody, and lets new clients in.

        Those of the lanes have old certificates, and may wait with theirs until
        `delivery.timeout.ms` is over.

        Raises:
            ClusterUnavailable: It has; all clients are to be opened anew.
        """
        for cluster in (self._source, self._target):
            if cluster.is_renewed:
                raise ClusterUnavailable(
                    f"{cluster.name}: all of its brokers have refused to be connected to, and let "
                    "new clients in: all are opened anew"
                )

    def silence(self) -> str:
        """Say who has not answered for too long; empty when all have."""
        with self._noting:
            records, commit_ms = self._progress.records, self._progress.last_commit_ms
            if records != self._seen[0]:
                self._source.heard()
            if commit_ms != self._seen[1]:
                self._target.heard()
            self._seen = (records, commit_ms)
        silences = (self._of_jvm(), self._source.silence(), self._target.silence())
        return "; ".join(filter(None, silences))


class _Asked:
    """
    One of the two clusters.

    Args:
        name: It, for messages.
        admin: Its control plane.
        clock: Where time comes from.
        thread: The name of the thread that asks.
    """

    def __init__(self, name: str, admin: ClusterAdmin, clock: Clock, thread: str) -> None:
        self.name = name
        self.is_renewed = False
        self._admin = admin
        self._clock = clock
        self._heard_s = -math.inf
        # Since when somebody waits here; `None` when nobody does.
        self._asked_s: float | None = None
        # How many outages its last answer has ended, whoever had it.
        self._outages_over = 0
        self.thread = PeriodicThread(thread, clock, lambda _: True, interval_s=_TICK_S)
        self.thread.also(PeriodicTask(clock, 0.0, self.ask))

    def heard(self) -> None:
        """Note that it has answered somebody."""
        self._heard_s = self._clock.monotonic_s()
        outage = self._admin.outage()
        self._outages_over = outage.times
        self.is_renewed = outage.renewals > 0

    def ask(self) -> None:
        """
        Ask, if nobody has had an answer lately, and wait.

        Raises:
            ClusterError: It does not answer, or refuses; it still owes the answer.
        """
        now_s = self._clock.monotonic_s()
        if now_s - self._heard_s < _ASK_INTERVAL_S:
            return
        if self._asked_s is None:
            self._asked_s = now_s
        self._admin.describe()
        self.heard()
        self._asked_s = None

    def silence(self) -> str:
        """Say that it owes an answer for too long, and has given nobody one since; else nothing."""
        asked_s = self._asked_s  # another thread takes it away
        if asked_s is None:
            return ""
        silent_s = self._clock.monotonic_s() - max(asked_s, self._heard_s)
        outage = self._admin.outage()
        is_out = outage.times > self._outages_over
        if silent_s <= (_UNREACHABLE_S_MAX if is_out else _SILENT_S_MAX):
            return ""
        why = f" ({outage.why})" if is_out and outage.why else ""
        return f"{self.name}: no answer for {silent_s:.0f} s{why}"
