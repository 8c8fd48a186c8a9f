"""Watches one cluster: whether it answers, and, while somebody looks, what it has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace

from kmirror.admin.client import KafkaAdmin
from kmirror.clock import Clock
from kmirror.config.clusters import ClusterConfig
from kmirror.config.flows import ADMIN_REQUEST_TIMEOUT_S
from kmirror.config.load import MirrorConfig
from kmirror.ends.certificates import client_certificate_ends
from kmirror.errors import ClusterError, MirrorError
from kmirror.events.emit import emit
from kmirror.events.table import RUN_CRASHED
from kmirror.inspect.cluster_clock import ClusterClock, ask_clock
from kmirror.inspect.cluster_rights import ClusterRights, ask_missing
from kmirror.inspect.cluster_survey import ClusterSurvey, survey_cluster
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.plans.snapshot import ClusterState

PULSE_S = 10.0
_STEP_S = 1.0
_SURVEY_S = 60.0
_RIGHTS_S = 300.0
_CLOCK_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCluster:
    """
    What a cluster has told; times are milliseconds since the epoch.

    Args:
        asked_ms: When it was asked last.
        answered_ms: When it answered last.
        silent_since_ms: Since when it does not.
        error: Why it does not.
        latency_ms: How long its last answer took, milliseconds.
        state: What it said of itself.
        looked_ms: When it was surveyed.
        survey: What was found.
        survey_error: Why it could not be surveyed the last time.
        rights: Which rights are missing.
        rights_error: Why that is not known.
        clock: What is known of its brokers' clocks; `None` while they were not looked at.
        certificates: When those of our clients end, seconds since the epoch, by their kind.
    """

    asked_ms: int | None = None
    answered_ms: int | None = None
    silent_since_ms: int | None = None
    error: str = ""
    latency_ms: float | None = None
    state: ClusterState | None = None
    looked_ms: int | None = None
    survey: ClusterSurvey | None = None
    survey_error: str = ""
    rights: ClusterRights | None = None
    rights_error: str = ""
    clock: ClusterClock | None = None
    certificates: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """
    What a watch needs to know of others.

    Args:
        config: Gives the file as it is now.
        is_looked_at: Whether somebody wants to know more than whether it answers.
        topics: Gives the topics of each cluster that has told them, by alias.
        kafka: Gives what opens Kafka's own clients.
    """

    config: Callable[[], MirrorConfig]
    is_looked_at: Callable[[], bool]
    topics: Callable[[], Mapping[str, Collection[str]]]
    kafka: Callable[[], JvmClients]


class ClusterWatch:
    """
    Asks a cluster every ten seconds, in a thread of its own, until `close`.

    Args:
        cluster: Which one.
        around: What it needs to know of others.
        clock: Where time comes from.
    """

    def __init__(self, cluster: ClusterConfig, around: Surroundings, clock: Clock) -> None:
        self.cluster = cluster
        self.known = KnownCluster()
        self._around = around
        self._clock = clock
        self._stop = threading.Event()
        self._racks: Mapping[int, str] = {}
        # When it was asked for what, by the name of that.
        self._asked_s: dict[str, float] = {}
        name = f"console-cluster-{cluster.alias}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def close(self, within_s: float) -> None:
        """End that; an answer that is waited for longer is left behind."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(max(0.0, within_s))

    def stop(self) -> None:
        """Have it end soon."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._ask()
            except MirrorError as error:
                self._is_silent(str(error))
            except Exception as error:  # noqa: BLE001 - or old numbers would look like new ones
                if not self.known.error:
                    emit(RUN_CRASHED, error=error, trace=error)
                self._is_silent(f"unexpected: {error!r}")
            self._clock.wait(self._stop, PULSE_S)

    def _ask(self) -> None:
        """Ask until the end, with clients that are made anew after what nobody foresaw."""
        settings = librdkafka_settings(self.cluster.admin)
        self.known = replace(self.known, certificates=client_certificate_ends(settings))
        timeout_s = ADMIN_REQUEST_TIMEOUT_S
        with closing(
            KafkaAdmin(self.cluster.alias, settings, timeout_s=timeout_s, clock=self._clock)
        ) as admin:
            while not self._stop.is_set():
                self._pulse(admin)
                next_s = self._clock.monotonic_s() + PULSE_S
                while not self._stop.is_set() and self._clock.monotonic_s() < next_s:
                    self._look(admin)
                    self._clock.wait(self._stop, _STEP_S)

    def _pulse(self, admin: KafkaAdmin) -> None:
        at_ms = self._clock.wall_ms()
        try:
            if self.known.latency_ms is None or self.known.error:
                admin.describe()  # connects, which is several round trips
            began_s = self._clock.monotonic_s()
            state = admin.describe()
            latency_ms = 1000 * (self._clock.monotonic_s() - began_s)
            state = self._with_racks(admin, state)
        except ClusterError as error:
            self._is_silent(str(error), at_ms=at_ms)
            return
        self.known = replace(
            self.known,
            asked_ms=at_ms,
            answered_ms=self._clock.wall_ms(),
            silent_since_ms=None,
            error="",
            latency_ms=latency_ms,
            state=state,
        )

    def _with_racks(self, admin: KafkaAdmin, state: ClusterState) -> ClusterState:
        """Add the brokers' racks, which are asked for when other brokers are there, or in time."""
        ids = {broker.id for broker in state.brokers}
        if self._is_due("racks", _SURVEY_S) or ids != set(self._racks):
            self._racks = admin.racks()
        brokers = tuple(replace(each, rack=self._racks.get(each.id, "")) for each in state.brokers)
        return replace(state, brokers=brokers)

    def _is_silent(self, error: str, *, at_ms: int | None = None) -> None:
        """Keep what was known before, with its age: it is still the best that can be shown."""
        now_ms = self._clock.wall_ms() if at_ms is None else at_ms
        since_ms = self.known.silent_since_ms
        self.known = replace(
            self.known,
            asked_ms=now_ms,
            silent_since_ms=now_ms if since_ms is None else since_ms,
            error=error,
        )

    def _look(self, admin: KafkaAdmin) -> None:
        """Find out more, while somebody looks and it answers."""
        state = self.known.state
        if state is None or self.known.error or not self._around.is_looked_at():
            return
        if self._is_due("survey", _SURVEY_S):
            self._survey(admin, state)
        if self.known.survey is None:
            return
        if self._is_due("rights", _RIGHTS_S):
            self._ask_rights()
        if self._is_due("clock", _CLOCK_S):
            self._ask_clock(admin)

    def _is_due(self, what: str, every_s: float) -> bool:
        """Whether it is time to ask for something again; then that is done now."""
        now_s = self._clock.monotonic_s()
        if now_s - self._asked_s.get(what, -every_s) < every_s:
            return False
        self._asked_s[what] = now_s
        return True

    def _survey(self, admin: KafkaAdmin, state: ClusterState) -> None:
        alias, properties = self.cluster.alias, self.cluster.admin
        kafka = self._around.kafka
        try:
            survey = survey_cluster(
                admin,
                state,
                lambda: kafka().open_features(alias, properties, ADMIN_REQUEST_TIMEOUT_S),
            )
        except ClusterError as error:
            self.known = replace(self.known, survey_error=str(error))
            return
        self.known = replace(
            self.known, survey=survey, survey_error="", looked_ms=self._clock.wall_ms()
        )

    def _ask_clock(self, admin: KafkaAdmin) -> None:
        try:
            found = ask_clock(admin, self._clock)
        except ClusterError as error:
            found = ClusterClock(why_unknown=str(error))
        self.known = replace(self.known, clock=found)

    def _ask_rights(self) -> None:
        try:
            rights = ask_missing(
                self._around.config(),
                self.cluster.alias,
                self._around.topics(),
                timeout_s=ADMIN_REQUEST_TIMEOUT_S,
                clock=self._clock,
            )
        except MirrorError as error:
            self.known = replace(self.known, rights=None, rights_error=str(error))
            return
        self.known = replace(self.known, rights=rights, rights_error="")
        if rights.unchecked:  # their source may tell its topics soon
            self._asked_s["rights"] = self._clock.monotonic_s() - _RIGHTS_S + PULSE_S
