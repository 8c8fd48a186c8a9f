"""All clusters of a file, as they look from here."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping

from kmirror.api.clusters import (
    BrokerView,
    CertificateView,
    ClusterList,
    ClusterUse,
    ClusterView,
    FeatureView,
    InternalTopicView,
    ProcessView,
    RightView,
)
from kmirror.clock import Clock
from kmirror.config.clusters import ClusterConfig
from kmirror.config.load import MirrorConfig
from kmirror.console.cluster_watch import ClusterWatch, KnownCluster, Surroundings
from kmirror.errors import NotFound
from kmirror.inspect.cluster_survey import InternalTopic
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.plans.check_rules import Level

_FOLLOW_S = 1.0
_LOOKED_AT_S = 90.0
_END_S_MAX = 0.5


class Clusters:
    """
    Watches the clusters of a file as it is now, until `close`. No answer here waits for one.

    Args:
        config: Gives the file as it is now.
        kafka: Gives what opens Kafka's own clients.
        clock: Where time comes from.
        processes: Gives kmirror's own.
    """

    def __init__(
        self,
        config: Callable[[], MirrorConfig],
        kafka: Callable[[], JvmClients],
        clock: Clock,
        processes: Callable[[], tuple[ProcessView, ...]] = tuple,
    ) -> None:
        self._config = config
        self._clock = clock
        self._processes = processes
        self._around = Surroundings(
            config=config,
            is_looked_at=self._is_looked_at,
            topics=self._topics,
            kafka=kafka,
        )
        self._looked_s = float("-inf")
        self._watches: dict[str, ClusterWatch] = {}
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="console-clusters", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._follow()
        self._thread.start()

    def close(self) -> None:
        """End that; answers that are waited for are left behind."""
        self._stop.set()
        with self._lock:
            watches = tuple(self._watches.values())
        for each in watches:
            each.stop()
        until_s = self._clock.monotonic_s() + _END_S_MAX
        for each in watches:
            each.close(until_s - self._clock.monotonic_s())

    def clusters(self) -> ClusterList:
        """Return all clusters; who asks has them looked at more closely for a while."""
        self._looked_s = self._clock.monotonic_s()
        config = self._config()
        return ClusterList(
            now_ms=self._clock.wall_ms(),
            clusters=tuple(_view(config, each, self._known(each)) for each in config.clusters),
            processes=self._processes(),
        )

    def cluster(self, alias: str) -> ClusterView:
        """
        Return one of them.

        Args:
            alias: Its name in the file.

        Raises:
            NotFound: There is none of that name.
        """
        found = self.clusters().clusters
        for each in found:
            if each.alias == alias:
                return each
        names = ", ".join(each.alias for each in found)
        raise NotFound(f"there is no cluster {alias}; there are: {names}")

    def _run(self) -> None:
        while not self._clock.wait(self._stop, _FOLLOW_S):
            self._follow()

    def _follow(self) -> None:
        """Watch what the file has now: a reload may have changed it."""
        wanted = {each.alias: each for each in self._config().clusters}
        with self._lock:
            for alias, watch in tuple(self._watches.items()):
                if wanted.get(alias) != watch.cluster:
                    watch.stop()
                    del self._watches[alias]
            for alias, cluster in wanted.items():
                if alias not in self._watches and not self._stop.is_set():
                    self._watches[alias] = ClusterWatch(cluster, self._around, self._clock)
                    self._watches[alias].start()

    def _is_looked_at(self) -> bool:
        return self._clock.monotonic_s() - self._looked_s < _LOOKED_AT_S

    def _known(self, cluster: ClusterConfig) -> KnownCluster:
        with self._lock:
            watch = self._watches.get(cluster.alias)
        is_same = watch is not None and watch.cluster == cluster
        return watch.known if watch is not None and is_same else KnownCluster()

    def _topics(self) -> Mapping[str, Collection[str]]:
        with self._lock:
            known = {alias: each.known for alias, each in self._watches.items()}
        return {
            alias: each.survey.topics for alias, each in known.items() if each.survey is not None
        }


def _view(config: MirrorConfig, cluster: ClusterConfig, known: KnownCluster) -> ClusterView:
    survey, state = known.survey, known.state
    features = None if survey is None else survey.features
    return ClusterView(
        alias=cluster.alias,
        bootstrap_servers=cluster.bootstrap_servers,
        flows=tuple(_uses(config, cluster.alias)),
        answers=None if known.asked_ms is None else not known.error,
        asked_ms=known.asked_ms,
        answered_ms=known.answered_ms,
        silent_since_ms=known.silent_since_ms,
        error=known.error,
        latency_ms=known.latency_ms,
        cluster_id="" if state is None else state.cluster_id,
        controller=None if state is None else state.controller,
        brokers=tuple(_brokers(known)),
        protocol_version="" if survey is None else survey.protocol,
        features=None
        if features is None
        else tuple(FeatureView(name=name, level=features[name]) for name in sorted(features)),
        looked_ms=known.looked_ms,
        topics=None if survey is None else len(survey.topics),
        internal=()
        if survey is None or state is None
        else tuple(_internal(each, len(state.brokers)) for each in survey.internal),
        missing_rights=None
        if known.rights is None
        else tuple(
            RightView(words=each.words, without=each.why, is_optional=each.level is not Level.ERROR)
            for each in known.rights.missing
        ),
        clock_ahead_s=None if known.clock is None else known.clock.ahead_s,
        clock_unknown="not looked at yet" if known.clock is None else known.clock.why_unknown,
        certificates=tuple(
            CertificateView(kind=kind, ends_ms=round(end_s * 1000))
            for kind, end_s in known.certificates.items()
        ),
        notes=tuple(_notes(known)),
    )


def _uses(config: MirrorConfig, alias: str) -> Iterator[ClusterUse]:
    for flow in config.flows:
        if flow.flow.source == alias:
            yield ClusterUse(flow=str(flow.flow), end="source")
        if alias == flow.target_cluster:
            yield ClusterUse(flow=str(flow.flow), end="target")


def _brokers(known: KnownCluster) -> Iterator[BrokerView]:
    if known.state is None:
        return
    for each in known.state.brokers:
        survey = known.survey
        yield BrokerView(
            id=each.id,
            address=f"{each.host}:{each.port}",
            rack=each.rack,
            is_controller=each.id == known.state.controller,
            unreachable=None if survey is None else survey.unreachable.get(each.id, ""),
        )


def _internal(topic: InternalTopic, brokers: int) -> InternalTopicView:
    settings, state = topic.settings, topic.state
    policy = settings.get("cleanup.policy", "")
    in_sync = _number(settings.get("min.insync.replicas"))
    doubt = ""
    if in_sync is not None and state.replicas < in_sync:
        doubt = (
            f"min.insync.replicas = {in_sync}, and it has {state.replicas} replicas: "
            "nothing can be written"
        )
    elif state.replicas == 1 and brokers > 1:
        doubt = "one replica: it is gone with its broker"
    return InternalTopicView(
        topic=state.name,
        purpose=topic.purpose,
        partitions=state.partitions,
        replicas=state.replicas,
        records=topic.records,
        bytes=topic.bytes,
        cleanup_policy=policy,
        retention_ms=_number(settings.get("retention.ms")) if "delete" in policy else None,
        min_in_sync=in_sync,
        doubt=doubt,
    )


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.lstrip("-").isdecimal() else None


def _notes(known: KnownCluster) -> Iterator[str]:
    if known.survey is not None:
        yield from known.survey.untold
    if known.survey_error:
        yield f"it could not be looked at more closely: {known.survey_error}"
    if known.rights_error:
        yield f"rights could not be asked for: {known.rights_error}"
    if known.rights is not None:
        for flow in known.rights.unchecked:
            yield f"rights for {flow} are not checked: its source has not told its topics"
