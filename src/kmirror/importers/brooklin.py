"""LinkedIn Brooklin: datastreams as JSON or command lines, and `server.properties`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kmirror.errors import ConfigError
from kmirror.importers.brooklin_server import BrooklinServer
from kmirror.importers.clients import Client, import_client
from kmirror.importers.command_line import command_lines
from kmirror.importers.draft import Draft
from kmirror.importers.flows import copy_records_only, seek_by_group, write_topics
from kmirror.importers.json_tree import read_json
from kmirror.importers.names import ClusterNames, CopyNames, copy_names
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import Setting, SourceFile, read_properties, wrong
from kmirror.importers.tree import Node
from kmirror.model import Flow

_NAME = "Brooklin"
_PROGRAMS = ("brooklin-rest-client.sh", "brooklin-rest-client.bat")
_FLAGS = frozenset({"h", "help", "f", "force", "nf", "noformat"})
_SOURCE = re.compile(r"(?P<scheme>kafka|kafkassl)://(?P<servers>[^/]+)/(?P<topics>.+)", re.DOTALL)
_PREFIX = "system.destination.destinationTopicPrefix"
_BROKERS = "system.destination.KafkaBrokers"
_IDENTITY = "system.destination.identityPartitioningEnabled"
_METADATA = {
    "owner": "a name for Brooklin's access control; kmirror's is that of the clusters",
    "system.reuseExistingDestination": "a target may have many flows",
    "system.taskPrefix": "of Brooklin's tasks; kmirror has none",
    _IDENTITY: "a copy always has the partition of its source record",
    "system.start.position": "`kmirror seek` before the first start says where to begin",
    "system.pausedSourcePartitions": "is not kept: `kmirror pause` holds partitions",
    "group.id": "not applied: kmirror keeps positions on the target, with the records",
}
_NOT_RUNNING = frozenset({"PAUSED", "STOPPED", "STOPPING"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Datastream:
    """
    A datastream that mirrors a Kafka cluster.

    Args:
        name: Its name, and its group's unless the metadata has one.
        source: `kafka://host:port/regex`.
        settings: Its other fields.
        metadata: What its metadata says.
    """

    name: str
    source: Setting
    settings: tuple[Setting, ...]
    metadata: tuple[Setting, ...]

    def field(self, key: str) -> str:
        """Return one of its fields; empty for one that is not there."""
        return next((each.text.strip() for each in self.settings if each.key == key), "")

    def text(self, key: str) -> str:
        """Return a value of the metadata; empty for one that is not there, or is no text."""
        found = (each for each in self.metadata if each.key == key and not each.no_text)
        return next((each.text.strip() for each in found), "")


def import_brooklin(files: Sequence[SourceFile], options: ImportOptions) -> Draft:
    """
    Make flows of datastreams.

    Raises:
        ConfigError: There are none, or nothing says where one of them writes.
    """
    streams: list[Datastream] = []
    server: list[Setting] = []
    for file in files:
        if file.is_json:
            streams += _of_json(read_json(file))
        elif any(program in file.text for program in _PROGRAMS):
            streams += _of_commands(file)
        else:
            server += read_properties(file)
    if not streams:
        raise wrong(
            files[0].name,
            "file",
            "expected datastreams: what brooklin-rest-client.sh -o READALL prints, or the commands "
            "that made them",
        )
    draft, names = Draft(), ClusterNames(options)
    brooklin = BrooklinServer(settings=tuple(server))
    flows = [_import_stream(draft, each, brooklin, names) for each in streams]
    pairs = list(zip(streams, flows, strict=True))
    brooklin.write(
        draft,
        {stream.field("transportProviderName"): flow for stream, flow in pairs},
        {stream.field("connectorName"): flow for stream, flow in pairs},
    )
    return draft


def _of_json(node: Node) -> Iterator[Datastream]:
    source = node.get("source", "connectionString")
    if source is None:
        for below in (*node.items(), *node.fields()):
            yield from _of_json(below)
        return
    metadata = node.get("metadata")
    yield Datastream(
        name=node.text("name") or "",
        source=source.setting(),
        settings=tuple(
            each.setting() for each in node.fields() if each.key not in {"source", "metadata"}
        ),
        metadata=() if metadata is None else metadata.settings(),
    )


def _of_commands(file: SourceFile) -> Iterator[Datastream]:
    for command in command_lines(file, _PROGRAMS, _FLAGS):
        source = command.option("s", "source")
        if (command.text("o", "operation") or "").upper() != "CREATE" or source is None:
            continue
        text = command.text("m", "metadata") or "{}"
        try:
            metadata = read_json(SourceFile(name=command.where, text=text))
        except ConfigError:
            raise wrong(command.where, "--metadata", "expected JSON", text) from None
        known = {"c": "connectorName", "t": "transportProviderName", "n": "name"}
        yield Datastream(
            name=command.text("n", "name") or "",
            source=source,
            settings=tuple(
                Setting(key=known[each.key], text=each.text, where=each.where)
                for each in command.options
                if each.key in known
            ),
            metadata=metadata.settings(),
        )


def _import_stream(
    draft: Draft, stream: Datastream, server: BrooklinServer, names: ClusterNames
) -> Flow:
    found = _SOURCE.fullmatch(stream.source.text.strip())
    if found is None:
        raise wrong(
            stream.source.where,
            stream.source.key,
            "expected kafka://host:port/regex: only mirrors of Kafka are read",
            stream.source.text,
        )
    provider = stream.field("transportProviderName")
    target = stream.text(_BROKERS) or server.target_servers(provider)
    if not target:
        raise wrong(
            stream.source.where,
            "bootstrap.servers",
            "nothing says which cluster is written to: give server.properties, too",
        )
    copies = copy_names(stream.text(_PREFIX), "")
    flow = names.flow(found["servers"], target, copies)
    draft.flow(flow)
    _write_source(draft, flow, stream, found)
    draft.add(f"{flow.target}.bootstrap.servers", target, "where the transport provider writes")
    copies.write(draft, flow)
    for setting in stream.settings:
        _field(draft, flow, setting)
    for setting in stream.metadata:
        _metadata(draft, flow, setting, copies)
    draft.add(f"{flow}.refresh.topics.interval.seconds", "30", "Brooklin's default")
    copy_records_only(draft, flow, _NAME)
    seek_by_group(draft, flow, stream.text("group.id") or stream.name, "from-brooklin.md")
    return flow


def _write_source(draft: Draft, flow: Flow, stream: Datastream, found: re.Match[str]) -> None:
    source = stream.source
    draft.add(f"{flow.source}.bootstrap.servers", found["servers"], "", setting=source)
    if found["scheme"] == "kafkassl":
        draft.add(f"{flow.source}.security.protocol", "SSL", "", setting=source)
    regex = Setting(key=source.key, text=found["topics"].strip(), where=source.where)
    write_topics(draft, flow, (), (regex,))


def _field(draft: Draft, flow: Flow, setting: Setting) -> None:
    if setting.key == "name":
        draft.equal(setting, "", f"{flow}.enabled")
    elif setting.key == "Status" and setting.text in _NOT_RUNNING:
        draft.differs(setting, "the flow copies once it is started; `kmirror pause` holds it")
    else:
        draft.equal(setting, "what Brooklin says of itself")


def _metadata(draft: Draft, flow: Flow, setting: Setting, copies: CopyNames) -> None:
    name = setting.key
    if name == _PREFIX:
        draft.equal(setting, "", copies.key(flow))
    elif name == _BROKERS:
        draft.equal(setting, "", "clusters")
    elif name == "numTasks":
        draft.write(setting, f"{flow}.tasks.max", differs="a task is a slot of Spark's")
    elif name == "system.auto.offset.reset":
        client = Client(alias=flow.source, role="consumer", prefix=f"{flow}.source.consumer.")
        import_client(draft, client, setting, "auto.offset.reset")
    elif name in _METADATA and not (name == _IDENTITY and setting.yes):
        draft.differs(setting, _METADATA[name])
    elif name.startswith("system."):
        draft.equal(setting)
    else:
        draft.refuse(setting, "unknown to kmirror")
