"""Checks a Connect worker's file, and its connectors', before it is started; nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from kmirror.clock import Clock
from kmirror.config.connector_file import ConnectorFile
from kmirror.config.connectors import ConnectorFlow, ConnectorFlows
from kmirror.config.server import OPEN
from kmirror.config.worker import WorkerConfig
from kmirror.errors import Problem
from kmirror.inspect.file_check import Checked, FileCheck
from kmirror.inspect.worker_access import WORKERS_CLUSTER, shared_needs, worker_clusters
from kmirror.inspect.worker_survey import place_of_key, survey_worker
from kmirror.pipeline.jvm_clients import JvmClients
from kmirror.plans.check_rules import CheckFinding, doubts
from kmirror.plans.worker_rules import WorkerFileFacts, check_worker, check_worker_file

_UNAVAILABLE = "unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFiles:
    """
    A worker's file with those of connectors.

    Args:
        config: The worker's.
        connectors: Those of connectors.
        built: What these come to; nothing is refused.
    """

    config: WorkerConfig
    connectors: tuple[ConnectorFile, ...]
    built: ConnectorFlows

    @property
    def flows(self) -> tuple[ConnectorFlow, ...]:
        """What the connectors do."""
        return self.built.flows

    def placed(self, connector: str, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return problems of a connector with the lines of its file."""
        file = self.file_of(connector)
        return tuple(map(file.placed, problems))

    def file_of(self, connector: str) -> ConnectorFile:
        """Return the file of a connector."""
        return {each.name: each for each in self.connectors}[connector]


class WorkerCheck:
    """
    Asks the clusters of a worker and of its connectors.

    Args:
        files: Their files.
        clients: Opens Kafka's own clients.
        clock: Where time comes from.
        tell: Is given what is being done.
        timeout_s: Deadline of each question, seconds.
    """

    def __init__(
        self,
        files: WorkerFiles,
        clients: JvmClients,
        clock: Clock,
        tell: Callable[[str], None],
        *,
        timeout_s: float,
    ) -> None:
        self._files = files
        self._config = files.config
        self._clock = clock
        self._tell = tell
        self._timeout_s = timeout_s
        flows = files.flows
        checked = Checked(
            clusters=tuple(worker_clusters(files.config, flows).values()),
            flows=tuple(each.config for each in flows if each.config is not None),
            others=shared_needs(files.config, flows),
        )
        self._check = FileCheck(checked, clients, clock, tell, timeout_s=timeout_s)

    def findings(self) -> tuple[CheckFinding, ...]:
        """
        Return everything that was found, files first.

        Raises:
            ClusterError: A cluster went away, or refused what nothing can be checked without.
        """
        found = [*self._doubts(), *check_worker_file(self._file_facts())]
        asked = self._check.findings()
        if not any(each.kind == _UNAVAILABLE and _is_own(each) for each in asked):
            self._tell("the worker's cluster: topics, group")
            found += check_worker(
                survey_worker(self._config, timeout_s=self._timeout_s, clock=self._clock)
            )
        return (*found, *map(self._in_their_words, asked))

    def _doubts(self) -> Iterator[CheckFinding]:
        yield from doubts(self._config.warnings)
        for connector, problems in self._files.built.warnings.items():
            yield from doubts(self._files.placed(connector, problems))

    def _file_facts(self) -> WorkerFileFacts:
        config, files = self._config, self._files
        return WorkerFileFacts(
            where=place_of_key(self._config, "connector.client.config.override.policy"),
            open_listeners=tuple(
                (
                    place_of_key(self._config, "listeners", "rest.host.name", "admin.listeners"),
                    str(each),
                )
                for each in config.server.unprotected
            ),
            why_open=OPEN,
            overrides=config.override_policy.name == "All",
            slots=(place_of_key(self._config, "kmirror.connect.slots"), config.slots),
            wanted={
                str(each.flow): each.config.slots or 1
                for each in files.flows
                if each.config is not None
            },
            idle=tuple((str(files.file_of(name).path), name) for name in files.built.idle),
        )

    def _in_their_words(self, finding: CheckFinding) -> CheckFinding:
        """Return what was found of clusters and flows, with keys as connectors have them."""
        do = finding.do.replace(f"{WORKERS_CLUSTER}.bootstrap.servers", "bootstrap.servers")
        for each in self._files.flows:
            source, target = each.flow.source, each.flow.target
            for ours, theirs in (
                (f"check {source}.bootstrap", "check source.cluster.bootstrap"),
                (f"check {target}.bootstrap", "check target.cluster.bootstrap"),
                (f"set {target}.producer.", "set producer.override."),
                (
                    f"`kmirror explain FILE '{each.flow}' TOPIC` says why",
                    "compare topics and topics.exclude of the connector with what is there",
                ),
            ):
                do = do.replace(ours, theirs)
        if not _is_own(finding):
            return replace(finding, do=do)
        why = "the worker does not start" if finding.kind == _UNAVAILABLE else finding.why
        return replace(
            finding, where=place_of_key(self._config, "bootstrap.servers"), why=why, do=do
        )


def _is_own(finding: CheckFinding) -> bool:
    return finding.where == WORKERS_CLUSTER
