"""Confluent Replicator: its connector as JSON or properties, and the workers' file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kmirror.config.keys.table import KEYS
from kmirror.importers.clients import Client, import_client, is_bytes_class
from kmirror.importers.connect import Connector, read_connect_files
from kmirror.importers.connect_worker import import_other_worker, worker_servers
from kmirror.importers.draft import Draft
from kmirror.importers.flows import (
    adopt_copies,
    copy_records_only,
    seconds,
    seek_by_group,
    write_topics,
)
from kmirror.importers.names import ClusterNames, copy_names, exactly, one_name
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import Setting, SourceFile, wrong

KIND = "io.confluent.connect.replicator.ReplicatorSourceConnector"
_NAME = "Replicator"
_TOPIC = "${topic}"
_SOURCE_SERVERS = "src.kafka.bootstrap.servers"
_TARGET_SERVERS = "dest.kafka.bootstrap.servers"
_TOPICS = frozenset({"topic.whitelist", "topic.regex"})
_CONVERTED = (
    "kmirror copies the bytes of records unchanged, and the copies are other ones then; the flow "
    "copies nothing until it is decided"
)
_GROUPS = (
    "of Replicator's translation by timestamps; kmirror translates by offsets, exactly and for any "
    "client: {}.emit.checkpoints.enabled = true, .emit.offset-syncs.enabled = true and "
    ".sync.group.offsets.enabled = true"
)
_OWN_POSITIONS = (
    "kmirror keeps positions on the target, in one transaction with the records; its first ones "
    "come from the copies, see docs/from-replicator.md"
)
# What some of its keys become; the flow's name comes before the dot.
_RENAMED = {
    "tasks.max": "tasks.max",
    "topic.config.sync": "sync.topic.configs.enabled",
}
_MILLISECONDS = {
    "topic.poll.interval.ms": "refresh.topics.interval.seconds",
    "topic.config.sync.interval.ms": "sync.topic.configs.interval.seconds",
}


def import_replicator(files: Sequence[SourceFile], options: ImportOptions) -> Draft:
    """
    Make flows of Replicator's connectors.

    Raises:
        ConfigError: There are none, or one does not say where it reads or writes.
    """
    read = read_connect_files(files)
    draft, names = Draft(), ClusterNames(options)
    found = [each for each in read.connectors if each.kind in {KIND, KIND.rpartition(".")[2]}]
    if not found:
        raise wrong(files[0].name, "connector.class", f"expected {KIND}")
    flows = []
    for connector in found:
        replicator = _Replicator(draft, connector, names, worker_servers(read.worker))
        replicator.run()
        flows.append(replicator.flow)
    import_other_worker(draft, flows[0], read.worker)
    return draft


class _Replicator:
    """One connector and the flow that it becomes."""

    def __init__(
        self, draft: Draft, connector: Connector, names: ClusterNames, workers: str
    ) -> None:
        self._draft = draft
        self._connector = connector
        form = connector.text("topic.rename.format") or _TOPIC
        before, found, after = form.partition(_TOPIC)
        chain = connector.transforms
        self._copies = copy_names(before, after, chain) if found else one_name(form, chain)
        source = self._servers(_SOURCE_SERVERS, "")
        self._target = self._servers(_TARGET_SERVERS, workers)
        self.flow = names.flow(source, self._target, self._copies)

    def run(self) -> None:
        """Write all of it."""
        draft, flow = self._draft, self.flow
        draft.flow(flow)
        draft.add(f"{flow.target}.bootstrap.servers", self._target, "the workers' cluster")
        self._copies.write(draft, flow)
        selected = (self._connector.setting("topic.whitelist"),)
        regex = (self._connector.setting("topic.regex"),)
        write_topics(
            draft,
            flow,
            [each for each in selected if each is not None],
            [each for each in regex if each is not None],
        )
        for setting in self._connector.settings:
            if setting.key not in _TOPICS and setting not in self._copies.transforms:
                self._import(setting)
        self._defaults()

    def _servers(self, key: str, otherwise: str) -> str:
        servers = self._connector.text(key) or otherwise
        if not servers:
            raise wrong(
                self._connector.where,
                key,
                f"is missing in {self._connector.name or 'the connector'}; if the workers' file "
                "says it, give that, too",
            )
        return servers

    def _defaults(self) -> None:
        draft, flow = self._draft, self.flow
        draft.add(
            f"{flow}.replication.factor", "-1", "Replicator took the source's; -1 is the brokers'"
        )
        draft.add(f"{flow}.sync.topic.configs.enabled", "true", "Replicator's default")
        draft.add(f"{flow}.sync.topic.configs.interval.seconds", "120", "Replicator's default")
        copy_records_only(draft, flow, _NAME)
        connector = self._connector
        moved = connector.text("topic.preserve.partitions").lower() == "false"
        if moved or connector.text("provenance.header.enable").lower() == "true":
            group = connector.text("src.consumer.group.id") or connector.name
            seek_by_group(draft, flow, group, "from-replicator.md")
        else:
            adopt_copies(draft, flow)

    def _import(self, setting: Setting) -> None:
        flow, name = self.flow, setting.key
        if name in _RENAMED:
            self._draft.write(setting, f"{flow}.{_RENAMED[name]}")
        elif name in _MILLISECONDS:
            self._draft.write(setting, f"{flow}.{_MILLISECONDS[name]}", seconds(setting.text))
        elif ".converter" in name:
            self._converter(setting)
        else:
            parts = (part for prefixes, part in self._parts() if name.startswith(prefixes))
            next(parts)(setting)

    def _parts(self) -> tuple[tuple[tuple[str, ...], Callable[[Setting], None]], ...]:
        """Return who writes what, the first that fits by the beginning of the key."""
        return (
            (("connector.class", "name"), self._connector_itself),
            (("topic.", "dest.topic."), self._topic),
            (("src.kafka.timestamps.", "offset.t"), self._groups),
            (("offset.", "fetch.offset."), self._positions),
            (("src.", "dest.", "producer.override."), self._client),
            (("provenance.header.",), self._provenance),
            (("schema.",), self._schemas),
            (("confluent.",), self._licence),
            (("",), self._other),
        )

    def _connector_itself(self, setting: Setting) -> None:
        self._draft.equal(setting, "", f"{self.flow}.enabled")

    def _groups(self, setting: Setting) -> None:
        self._draft.differs(setting, _GROUPS.format(self.flow))

    def _positions(self, setting: Setting) -> None:
        self._draft.differs(setting, _OWN_POSITIONS)

    def _schemas(self, setting: Setting) -> None:
        self._draft.refuse(setting, "kmirror translates no schemas: see docs/schemas.md")

    def _licence(self, setting: Setting) -> None:
        self._draft.equal(setting, "of Confluent's licence and monitoring: left out")

    def _other(self, setting: Setting) -> None:
        if setting.key in KEYS and setting.key.startswith(("errors.", "config.action.")):
            self._draft.write(setting, f"{self.flow}.{setting.key}")
        elif setting.key.startswith(("consumer.override.", "admin.override.")):
            self._draft.equal(setting, "has no effect on a source connector either: left out")
        else:
            self._draft.refuse(setting, "unknown to kmirror")

    def _topic(self, setting: Setting) -> None:
        draft, flow, name = self._draft, self.flow, setting.key
        if name == "topic.blacklist":
            listed = [part.strip() for part in setting.text.split(",") if part.strip()]
            draft.write(setting, f"{flow}.topics.exclude", ", ".join((*exactly(listed), "__.*")))
        elif name == "topic.rename.format":
            draft.equal(setting, "", self._copies.key(flow))
        elif name == "dest.topic.replication.factor":
            text = "-1" if setting.text.strip() == "0" else setting.text
            says = "" if text == setting.text else "Replicator took the source's, the brokers' now"
            draft.write(setting, f"{flow}.replication.factor", text, differs=says)
        elif name == "topic.auto.create":
            self._yes(setting, "kmirror makes topics that are missing; those that are there stay")
        elif name == "topic.preserve.partitions":
            self._yes(setting, "a copy always has the partition of its source record")
        elif name == "topic.timestamp.type":
            says = "copies always have the time of their source record, unless their topics say "
            draft.differs(setting, f"{says}otherwise (message.timestamp.type)")
        else:
            draft.differs(setting, "kmirror has no such setting, and needs none")

    def _yes(self, setting: Setting, otherwise: str) -> None:
        if setting.yes:
            self._draft.equal(setting)
        else:
            self._draft.differs(setting, otherwise)

    def _converter(self, setting: Setting) -> None:
        name = setting.key
        if is_bytes_class(setting.text) or ".converter." in name:
            self._draft.equal(setting, "kmirror copies the bytes unchanged, too")
        else:
            self._draft.refuse(setting, _CONVERTED)
            self._draft.hold(self.flow)

    def _client(self, setting: Setting) -> None:
        flow, name = self.flow, setting.key
        source, target = flow.source, flow.target
        clients = {
            "src.kafka.": Client(alias=source, role="consumer", prefix=f"{flow}.source.consumer."),
            "src.consumer.": Client(
                alias=source, role="consumer", prefix=f"{flow}.source.consumer."
            ),
            "dest.kafka.": Client(alias=target, role="admin", prefix=f"{flow}.target.admin."),
            "producer.override.": Client(
                alias=target, role="producer", prefix=f"{flow}.producer.override."
            ),
        }
        prefix = next((each for each in clients if name.startswith(each)), None)
        if prefix is not None:
            import_client(self._draft, clients[prefix], setting, name.removeprefix(prefix))
        elif "zookeeper" in name:
            self._draft.differs(setting, "kmirror does not speak to ZooKeeper")
        else:
            self._draft.refuse(setting, "unknown to kmirror")

    def _provenance(self, setting: Setting) -> None:
        if setting.key != "provenance.header.enable":
            self._draft.differs(setting, "kmirror's header decides which records go round")
        elif setting.yes:
            self._draft.write(
                setting,
                f"{self.flow}.kmirror.provenance",
                "true",
                differs="the header is kmirror's own; what Replicator has copied has Replicator's, "
                "which does not keep kmirror from copying it back",
            )
        else:
            self._draft.equal(setting)
