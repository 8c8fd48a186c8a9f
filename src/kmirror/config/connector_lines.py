"""A flow of connectors as lines of the driver's file, and what is found there in their words."""

from __future__ import annotations

from dataclasses import replace

from kmirror.config.connector import Connector, Kind, only_reader
from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.key import split_list
from kmirror.config.keys.table import CLIENT_NAMES
from kmirror.config.offsets_places import OffsetsPlace
from kmirror.config.resolve import stripped
from kmirror.config.secret import HIDDEN
from kmirror.config.settings import Settings
from kmirror.config.survey import Survey
from kmirror.config.worker import WorkerConfig, flow_defaults
from kmirror.errors import Problem
from kmirror.model import Flow

GROUP_SWITCHES = ("emit.checkpoints.enabled", "sync.group.offsets.enabled")
"""What a flow without a checkpoint connector has off, though no line says so."""
_CONVERTERS = ("key.converter.", "value.converter.", "header.converter.")
_SET_BY_CONNECT = frozenset({"connector.class", "enabled", "config.providers"})
_POLICY = (
    "replication.policy.class",
    "replication.policy.separator",
    "replication.policy.internal.topic.separator.enabled",
)
_STORAGE = ("topic", "partitions", "replication.factor")
_TOPICS = ("topics", "topics.exclude")


def flow_lines(
    flow: Flow, source: Connector, checkpoint: Connector | None, worker: WorkerConfig
) -> Entries:
    """
    Return the lines of the driver's file that say what connectors say.

    Args:
        flow: Their aliases.
        source: The connector that copies records; a checkpoint connector alone stands for it.
        checkpoint: The one that steers the flow's groups.
        worker: Its `producer.*` write the records.
    """
    alias = source.entries.get("source.cluster.alias") or source.entries["name"]
    lines = {**flow_defaults(worker), "clusters": alias}
    own = {
        name: entry
        for name, entry in source.entries.items()
        if name not in _SET_BY_CONNECT and only_reader(name) in {None, Kind.SOURCE}
    }
    if checkpoint is None:
        own |= {name: replace(alias, key=name, text="false") for name in GROUP_SWITCHES}
    else:
        own |= {
            name: entry
            for name, entry in checkpoint.entries.items()
            if only_reader(name) is Kind.CHECKPOINT
        }
    lines |= {f"{flow}.{name}": entry for name, entry in own.items()}
    return (
        lines
        | _producer_lines(flow, source, worker)
        | storage_lines(source.servers("target"), worker)
    )


def on_workers_cluster(servers: frozenset[str], worker: WorkerConfig) -> bool:
    """Whether a target has an address in common with the worker's cluster."""
    return bool(servers & set(split_list(worker.bootstrap_servers)))


def storage_lines(target: frozenset[str], worker: WorkerConfig) -> Entries:
    """Return where Connect keeps positions, if that is on the target."""
    if not on_workers_cluster(target, worker):
        return {}
    names = [f"offset.storage.{name}" for name in _STORAGE]
    return {name: entry for name, entry in worker.entries().items() if name in names}


def workers_places(target: frozenset[str], worker: WorkerConfig) -> tuple[OffsetsPlace, ...]:
    """
    Return where Connect keeps positions if the target is not the workers' cluster.

    In the topic of their own cluster; and exactly once, in one of that name on the target, in the
    transactions of the records.
    """
    topic = worker.offset_storage
    if topic is None or on_workers_cluster(target, worker):
        return ()
    workers = OffsetsPlace(topic=topic.name, client=worker.client)
    if worker.exactly_once_source_support != "enabled":
        return (workers,)
    return OffsetsPlace(topic=topic.name), workers


def _producer_lines(flow: Flow, source: Connector, worker: WorkerConfig) -> Entries:
    """
    Return the lines for the producer of records: the worker's, as in `Worker.baseProducerConfigs`.

    It writes to the worker's cluster. Where that is another one than the connector's target, as far
    as addresses tell, MirrorMaker 2 would write there all the same; kmirror writes to the target.
    """
    own = worker.entries("producer.")
    if _writes_to(source, worker):
        servers = Entry(
            key="bootstrap.servers", text=worker.bootstrap_servers, where=str(worker.path)
        )
        found = {"bootstrap.servers": servers, **own}
    else:
        target = stripped(source.entries, "target.cluster.")
        found = {name: entry for name, entry in own.items() if name not in CLIENT_NAMES}
        found |= {name: entry for name, entry in target.items() if name in CLIENT_NAMES}
    return {f"{flow.target}.producer.{name}": entry for name, entry in found.items()}


def _writes_to(source: Connector, worker: WorkerConfig) -> bool:
    """Whether the worker's producer writes to a connector's target, as far as addresses tell."""
    servers = worker.entries().get("producer.bootstrap.servers")
    text = worker.bootstrap_servers if servers is None else servers.text
    return bool(source.servers("target") & set(split_list(text)))


def misfit(source: Connector, other: Connector) -> tuple[Entry, str] | None:
    """Say why a connector cannot be part of the flow of *source*, and which line of it says so."""
    for end in ("source", "target"):
        ours, theirs = source.servers(end), other.servers(end)
        key = f"{end}.cluster.bootstrap.servers"
        if ours and theirs and not ours & theirs:
            named = HIDDEN if source.entries[key].secret else ", ".join(sorted(ours))
            return other.entries[key], (
                f"expected one of the servers of {source.name}, which has the same aliases: {named}"
            )
    return None


def survey(flow: Flow, connector: Connector, findings: Findings) -> None:
    """Look at every line of a connector, as at those of a flow."""
    lines = {}
    for name, entry in connector.entries.items():
        if name in _SET_BY_CONNECT or name.startswith(_CONVERTERS):
            continue
        lines[f"{flow}.{name}"] = replace(entry, key=f"{flow}.{name}")
    Survey((flow.source, flow.target), findings).run(lines)


def doubt_writer(source: Connector, worker: WorkerConfig, findings: Findings) -> None:
    """Say to which cluster records go, where MirrorMaker 2 would write to another one."""
    override = source.entries.get("producer.override.bootstrap.servers")
    target = source.entries.get("target.cluster.bootstrap.servers")
    if target is None:
        return
    if override is not None:
        if not source.servers("target") & set(split_list(override.text)):
            findings.doubt(
                override,
                "has no address of target.cluster.bootstrap.servers: "
                f"{target.shown.strip()} has to be the same cluster",
            )
    elif not _writes_to(source, worker):
        line = worker.entries().get("bootstrap.servers")
        servers = worker.bootstrap_servers if line is None else line.shown.strip()
        findings.doubt(
            target,
            f"kmirror writes records here; MirrorMaker 2 would write them to the worker's cluster, "
            f"{servers}, without producer.override.bootstrap.servers",
        )


def doubt_others(source: Connector, other: Connector, findings: Findings) -> None:
    """Name lines of a checkpoint connector that count only in its source connector."""
    for name, entry in other.entries.items():
        ours = source.entries.get(name)
        same = ours is not None and ours.text.strip() == entry.text.strip()
        if (name.startswith("kmirror.") or name in _TOPICS) and not same:
            findings.doubt(entry, f"has no effect: the flow's is in {source.name}")
    quiet = Findings("")
    one, two = Settings(source.entries, quiet), Settings(other.entries, quiet)
    for name in _POLICY:
        if one.value(name) != two.value(name):
            findings.doubt(
                other.entries.get(name, other.entries["name"]),
                f"{name} is {one.value(name)} as in {source.name}, which names the topics; with "
                "another one MirrorMaker 2 finds no offset syncs",
            )


def in_their_words(problem: Problem, flow: Flow) -> Problem:
    """Return a problem of the driver's file as one of a connector's settings."""
    key = problem.key.removeprefix(f"{flow}.")
    expected = problem.expected.replace(f"{flow}.", "")
    expected = expected.replace(f"{flow.target}.producer.", "producer.override.")
    for end, alias in (("source", flow.source), ("target", flow.target)):
        expected = expected.replace(f" {alias}.{key}", f" {end}.cluster.{key}")
    return replace(problem, key=key, expected=expected)
