"""The way from a properties file to typed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kmirror.config.aliases import alias_flows, without_aliases
from kmirror.config.clusters import ClusterConfig, build_cluster, check_source, read_aliases
from kmirror.config.connect_file import misplaced_json, misplaced_properties
from kmirror.config.console import NO_CONSOLE, ConsoleConfig, read_console
from kmirror.config.consumers import HeartbeatConfig
from kmirror.config.entry import Entries, Findings
from kmirror.config.flows import FlowConfig, build_flow
from kmirror.config.lines import entries_of, expanded, read_properties
from kmirror.config.metrics import NO_METRICS, MetricsConfig, read_metrics
from kmirror.config.nodes import NodesConfig, file_digest, read_nodes
from kmirror.config.properties import read
from kmirror.config.references import read_providers
from kmirror.config.rules import (
    check_flow,
    check_loops,
    check_names,
    doubt_settings,
    enabled_flows,
    heartbeats,
    require_flows,
    spark_settings,
    wanted_targets,
)
from kmirror.config.secret import Secret
from kmirror.config.survey import Survey
from kmirror.errors import ConfigError, Problem
from kmirror.model import Flow


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorConfig:
    """
    Everything that a properties file says.

    Args:
        path: The file.
        clusters: In the order of the file.
        flows: Those that are enabled and whose target was asked for.
        heartbeats: Those whose target was asked for.
        warnings: What the user should know, by line.
        inactive_keys: Names that are accepted and checked, but do nothing yet.
        spark: Settings for Spark itself.
        files: The file, and those that its config providers have read.
        metrics: Where metrics are served, and for whom.
        nodes: Those that share its flows; `None` where this is the only one.
        digest: Is the same for files that say the same.
        console: The same of the console.
        entries: The lines that all of it comes from, references expanded; no part of what is equal.
    """

    path: Path
    clusters: tuple[ClusterConfig, ...]
    flows: tuple[FlowConfig, ...]
    heartbeats: tuple[HeartbeatConfig, ...]
    warnings: tuple[Problem, ...]
    inactive_keys: tuple[str, ...]
    spark: tuple[tuple[str, Secret], ...]
    files: tuple[Path, ...]
    metrics: MetricsConfig = NO_METRICS
    nodes: NodesConfig | None = None
    digest: str = ""
    console: ConsoleConfig = NO_CONSOLE
    entries: Entries = field(default_factory=dict, repr=False, compare=False)

    def cluster(self, alias: str) -> ClusterConfig:
        """Return the cluster *alias*; raises KeyError."""
        return {cluster.alias: cluster for cluster in self.clusters}[alias]

    def flow(self, flow: Flow) -> FlowConfig:
        """Return the settings of *flow*; raises KeyError for one that does not run."""
        return {config.flow: config for config in self.flows}[flow]


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorLines:
    """
    The lines of a properties file, whether or not kmirror can run it.

    Args:
        path: The file.
        entries: Its lines, references expanded where that is possible.
        aliases: The clusters.
        flows: Those that are switched on.
        idle: Lines without effect, or in doubt, and what to write instead.
    """

    path: Path
    entries: Entries
    aliases: tuple[str, ...]
    flows: tuple[Flow, ...]
    idle: tuple[Problem, ...]


def read_lines(path: Path, *, environ: Mapping[str, str]) -> MirrorLines:
    """
    Read an `mm2.properties` without judging its values.

    A file that MirrorMaker 2 runs and kmirror refuses (Java transforms, providers of one's own) is
    read all the same; a reference that leads nowhere stays as it is written.

    Args:
        path: The file.
        environ: Environment variables for `${env:…}`.

    Raises:
        ConfigError: It is no properties file, names no clusters, or switches no flow on.
    """
    findings, ignored = Findings(str(path)), Findings(str(path))
    file, _ = _expanded(_entries(path, findings), environ, ignored)
    aliases = read_aliases(file, findings)
    flows = enabled_flows(file, aliases, findings)
    require_flows(file, aliases, flows, findings)
    if findings.problems:
        raise ConfigError(findings.problems, findings.warnings)
    Survey(aliases, findings).run(file)
    return MirrorLines(
        path=path, entries=file, aliases=aliases, flows=flows, idle=findings.warnings
    )


def load(path: Path, *, clusters: Sequence[str] = (), environ: Mapping[str, str]) -> MirrorConfig:
    """
    Read an `mm2.properties`.

    Args:
        path: The file.
        clusters: Only flows into these targets, as `--clusters`; all when empty.
        environ: Environment variables for `${env:…}`.

    Raises:
        ConfigError: with every problem of the file at once.
    """
    config, problems = examine(path, clusters=clusters, environ=environ)
    if problems:
        raise ConfigError(problems, config.warnings)
    return config


def examine(
    path: Path, *, clusters: Sequence[str] = (), environ: Mapping[str, str]
) -> tuple[MirrorConfig, tuple[Problem, ...]]:
    """
    Read an `mm2.properties`, and give what is wrong with it; a wrong value reads as the default.

    Args:
        path: The file.
        clusters: Only flows into these targets, as `--clusters`; all when empty.
        environ: Environment variables for `${env:…}`.

    Raises:
        ConfigError: It is no properties file.
    """
    findings = Findings(str(path))
    return _examine(path, _entries(path, findings), clusters, environ, findings)


def examine_text(
    text: str, path: Path, *, environ: Mapping[str, str]
) -> tuple[MirrorConfig, tuple[Problem, ...]]:
    """
    Read the text of an `mm2.properties` that is in no file yet, as `examine` would.

    Args:
        text: All of it, well-formed.
        path: What to call it.
        environ: Environment variables for `${env:…}`.
    """
    findings = Findings(str(path))
    return _examine(path, entries_of(path, read(text), findings), (), environ, findings)


def _examine(
    path: Path,
    entries: Entries,
    clusters: Sequence[str],
    environ: Mapping[str, str],
    findings: Findings,
) -> tuple[MirrorConfig, tuple[Problem, ...]]:
    file, named = _expanded(entries, environ, findings)
    aliases = read_aliases(file, findings)
    targets = wanted_targets(aliases, clusters, findings)
    inactive = Survey(aliases, findings).run(file)
    enabled = enabled_flows(file, aliases, findings)
    chosen = [flow for flow in enabled if flow.target in targets]
    merged = alias_flows(file, targets, build_flow, findings)
    require_flows(file, aliases, (*chosen, *(each.flow for each in merged)), findings)
    for flow in chosen:
        check_flow(file, flow, findings)
    for alias in dict.fromkeys(flow.source for flow in (*chosen, *(each.flow for each in merged))):
        check_source(file, alias, findings)
    flows = (
        *(without_aliases(build_flow(file, flow, findings), file) for flow in chosen),
        *merged,
    )
    config = MirrorConfig(
        path=path,
        clusters=tuple(build_cluster(file, alias, findings) for alias in aliases),
        flows=flows,
        heartbeats=tuple(
            each for each in heartbeats(file, aliases, findings) if each.flow.target in targets
        ),
        warnings=(),
        inactive_keys=inactive,
        spark=spark_settings(file, findings),
        files=(path, *named),
        metrics=read_metrics(file, findings),
        nodes=read_nodes(file, aliases, flows, findings),
        digest=file_digest(entries),
        console=read_console(file, findings),
        entries=file,
    )
    if not findings.problems:
        check_loops(config.flows, file, findings)
        doubt_settings(config.flows, file, findings)
        check_names([*enabled, *(each.flow for each in merged)], config.clusters, file, findings)
    return replace(config, warnings=findings.warnings), findings.problems


def _entries(path: Path, findings: Findings) -> Entries:
    items = read_properties(path, foreign_text=misplaced_json, foreign_lines=misplaced_properties)
    return entries_of(path, items, findings)


def _expanded(
    file: Entries, environ: Mapping[str, str], findings: Findings
) -> tuple[Entries, tuple[Path, ...]]:
    """Return the lines without references, and which files their values came from."""
    references = read_providers(file, environ, findings)
    return expanded(file, references, findings), references.files
