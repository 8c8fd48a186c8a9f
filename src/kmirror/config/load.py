"""The way from a properties file to typed values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kmirror.config.aliases import alias_flows, without_aliases
from kmirror.config.clusters import ClusterConfig, build_cluster, check_source, read_aliases
from kmirror.config.connect_file import misplaced_json, misplaced_properties
from kmirror.config.consumers import HeartbeatConfig
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.flows import FlowConfig, build_flow
from kmirror.config.keys.table import is_secret_name
from kmirror.config.properties import (
    FILE_BYTES_MAX,
    MalformedProperties,
    Property,
    decode,
    read,
)
from kmirror.config.references import ReferenceProblem, References, read_providers
from kmirror.config.rules import (
    check_flow,
    check_loops,
    check_names,
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
    """

    path: Path
    clusters: tuple[ClusterConfig, ...]
    flows: tuple[FlowConfig, ...]
    heartbeats: tuple[HeartbeatConfig, ...]
    warnings: tuple[Problem, ...]
    inactive_keys: tuple[str, ...]
    spark: tuple[tuple[str, Secret], ...]

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
    file = _expanded(_entries(path, findings), environ, ignored)
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
    file = _expanded(_entries(path, findings), environ, findings)
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
    config = MirrorConfig(
        path=path,
        clusters=tuple(build_cluster(file, alias, findings) for alias in aliases),
        flows=(
            *(without_aliases(build_flow(file, flow, findings), file) for flow in chosen),
            *merged,
        ),
        heartbeats=tuple(
            each for each in heartbeats(file, aliases, findings) if each.flow.target in targets
        ),
        warnings=(),
        inactive_keys=inactive,
        spark=spark_settings(file, findings),
    )
    if not findings.problems:
        check_loops(config.flows, file, findings)
        check_names([*enabled, *(each.flow for each in merged)], config.clusters, file, findings)
    return replace(config, warnings=findings.warnings), findings.problems


def _entries(path: Path, findings: Findings) -> Entries:
    """Return the entries of the file; the last one counts where a key is given twice."""
    entries: Entries = {}
    for item in _properties(path):
        entry = Entry(
            key=item.key,
            text=item.value,
            where=f"{path}:{item.line}",
            secret=is_secret_name(item.key),
        )
        earlier = entries.pop(item.key, None)
        if earlier is not None:
            findings.doubt(earlier, f"has no effect: line {item.line} sets it again")
        entries[item.key] = entry
    return entries


def _properties(path: Path) -> tuple[Property, ...]:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise _unusable(str(path), f"cannot be read: {error.strerror}") from error
    if len(content) > FILE_BYTES_MAX:
        raise _unusable(str(path), f"is larger than {FILE_BYTES_MAX} bytes: not a properties file")
    text = decode(content)
    if (is_json := misplaced_json(text)) is not None:
        raise _unusable(f"{path}:1", is_json)
    try:
        items = read(text)
    except MalformedProperties as problem:
        raise _unusable(f"{path}:{problem.line}", str(problem)) from problem
    if (misplaced := misplaced_properties(items)) is not None:
        line, words = misplaced
        raise _unusable(f"{path}:{line}", words)
    return items


def _unusable(where: str, expected: str) -> ConfigError:
    return ConfigError((Problem(where=where, key="file", value=None, expected=expected),))


def _expanded(file: Entries, environ: Mapping[str, str], findings: Findings) -> Entries:
    """*file* with its references replaced; what they bring counts as secret."""
    references = read_providers(file, environ, findings)
    return {
        name: entry if name.startswith("config.providers") else _expand(entry, references, findings)
        for name, entry in file.items()
    }


def _expand(entry: Entry, references: References, findings: Findings) -> Entry:
    try:
        text = references.expand(entry.text)
    except ReferenceProblem as problem:
        findings.refused(entry, str(problem))
        return entry
    stranger = references.unknown(entry.text)
    if stranger is not None:
        findings.doubt(entry, f"taken literally: config.providers does not name {stranger}")
    return entry if text == entry.text else replace(entry, text=text, secret=True)
