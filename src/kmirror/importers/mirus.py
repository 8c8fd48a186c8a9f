"""Salesforce Mirus: its connector, and the properties of its workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kmirror.importers.clients import Client, import_client, is_bytes_class
from kmirror.importers.connect import Connector, read_connect_files
from kmirror.importers.connect_worker import import_other_worker, worker_servers
from kmirror.importers.draft import Draft
from kmirror.importers.flows import adopt_copies, copy_records_only, seconds, write_topics
from kmirror.importers.names import ClusterNames, addresses, copy_names
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import Setting, SourceFile, wrong

KIND = "com.salesforce.mirus.MirusSourceConnector"
_NAME = "Mirus"
_SOURCE_SERVERS = "consumer.bootstrap.servers"
_TARGET_SERVERS = ("destination.consumer.bootstrap.servers", "destination.bootstrap.servers")
_NAMES = ("destination.topic.name.prefix", "destination.topic.name.suffix")
_TOPICS = ("topics.whitelist",)
_REGEXES = ("topics.regex",)
_LIST = "topics.regex.list"
_NOT_NEEDED = {
    "poll.timeout.ms": "kmirror hands every record on at once",
    "commit.failure.restart.ms": "kmirror repeats a transaction that fails, and restarts a flow",
    "replay.policy": "nothing is replayed: positions are committed with the records",
    "replay.window.records": "nothing is replayed: positions are committed with the records",
}
_SEEK = (
    "{}: partitions whose copies have records are parked until `kmirror seek` has the offsets that "
    "mirus-offset-tool.sh describes, see docs/from-mirus.md"
)
_SWITCHES = {
    "enable.partition.matching": "a copy always has the partition of its source record",
    "enable.destination.topic.checking": "kmirror makes topics and partitions that are missing",
}
_WORKERS = {
    "mirus.task.monitor.polling.interval.ms": "kmirror's supervisor sees at once what fails",
    "mirus.task.auto.restart.enabled": "kmirror restarts what fails by itself",
    "mirus.connector.auto.restart.enabled": "kmirror restarts what fails by itself",
}


def import_mirus(files: Sequence[SourceFile], options: ImportOptions) -> Draft:
    """
    Make flows of Mirus's connectors.

    Raises:
        ConfigError: There are none, or one does not say where it reads or writes.
    """
    read = read_connect_files(files)
    draft, names = Draft(), ClusterNames(options)
    found = [each for each in read.connectors if each.kind == KIND]
    if not found:
        raise wrong(files[0].name, "connector.class", f"expected {KIND}")
    mirrors = [_Mirus(draft, each, names, worker_servers(read.worker)) for each in found]
    for mirror in mirrors:
        mirror.run()
    for setting in read.worker:
        if setting.key in _WORKERS:
            draft.differs(setting, _WORKERS[setting.key])
    others = [each for each in read.worker if each.key not in _WORKERS]
    import_other_worker(draft, mirrors[0].flow, others)
    return draft


class _Mirus:
    """One connector and the flow that it becomes."""

    def __init__(
        self, draft: Draft, connector: Connector, names: ClusterNames, workers: str
    ) -> None:
        self._draft = draft
        self._connector = connector
        before, after = (connector.text(name) for name in _NAMES)
        self._copies = copy_names(before, after, connector.transforms)
        source = connector.text(_SOURCE_SERVERS)
        checked = next(filter(None, map(connector.text, _TARGET_SERVERS)), "")
        # Records go where the workers write; the other cluster is only looked at.
        self._target = workers or checked
        for key, servers in ((_SOURCE_SERVERS, source), (_TARGET_SERVERS[0], self._target)):
            if not servers:
                raise wrong(
                    connector.where, key, "is missing; give the workers' properties file, too"
                )
        self.flow = names.flow(source, self._target, self._copies)

    def run(self) -> None:
        """Write all of it."""
        draft, flow, connector = self._draft, self.flow, self._connector
        draft.flow(flow)
        draft.add(f"{flow.target}.bootstrap.servers", self._target, "where the workers write")
        self._copies.write(draft, flow)
        regexes = [*self._settings(_REGEXES), *self._listed()]
        write_topics(draft, flow, self._settings(_TOPICS), regexes)
        for setting in connector.settings:
            own = {*_TOPICS, *_REGEXES, _LIST}
            if setting.key not in own and setting not in self._copies.transforms:
                self._import(setting)
        draft.add(f"{flow}.refresh.topics.interval.seconds", "60", "Mirus's default")
        copy_records_only(draft, flow, _NAME)
        if connector.text("enable.partition.matching").lower() == "true":
            adopt_copies(draft, flow)
        else:
            draft.remark(_SEEK.format(flow))

    def _settings(self, keys: Sequence[str]) -> list[Setting]:
        found = (self._connector.setting(key) for key in keys)
        return [each for each in found if each is not None]

    def _listed(self) -> list[Setting]:
        """Return the parts of a list of regular expressions, as settings of their own."""
        setting = self._connector.setting(_LIST)
        parts = [] if setting is None else setting.text.split(",")
        return [replace(setting, text=part.strip()) for part in parts if setting is not None]

    def _import(self, setting: Setting) -> None:
        draft, flow, name = self._draft, self.flow, setting.key
        if name in {"connector.class", "name"}:
            draft.equal(setting, "", f"{flow}.enabled")
        elif name == "tasks.max":
            draft.write(setting, f"{flow}.tasks.max")
        elif name == "monitor.poll.wait.ms":
            draft.write(setting, f"{flow}.refresh.topics.interval.seconds", seconds(setting.text))
        elif name in _NAMES:
            self._copy_name(setting)
        elif name in _NOT_NEEDED:
            draft.differs(setting, _NOT_NEEDED[name])
        elif name in _SWITCHES:
            self._switch(setting)
        else:
            self._part(setting)

    def _part(self, setting: Setting) -> None:
        """Write what is told by the beginning of its key."""
        draft, flow, name = self._draft, self.flow, setting.key
        if ".converter" in name:
            self._converter(setting)
        elif name.startswith("consumer."):
            client = Client(alias=flow.source, role="consumer", prefix=f"{flow}.source.consumer.")
            import_client(draft, client, setting, name.removeprefix("consumer."))
        elif name.startswith("destination."):
            self._destination(setting)
        else:
            draft.refuse(setting, "unknown to kmirror")

    def _switch(self, setting: Setting) -> None:
        if setting.yes:
            self._draft.equal(setting)
        else:
            self._draft.differs(setting, _SWITCHES[setting.key])

    def _copy_name(self, setting: Setting) -> None:
        if not setting.text:
            self._draft.equal(setting, "empty: left out")
        else:
            self._draft.equal(setting, "", self._copies.key(self.flow))

    def _converter(self, setting: Setting) -> None:
        if is_bytes_class(setting.text) or ".converter." in setting.key:
            self._draft.equal(setting, "kmirror copies the bytes unchanged, too")
        else:
            self._draft.differs(setting, "kmirror copies the bytes unchanged")

    def _destination(self, setting: Setting) -> None:
        name = setting.key.removeprefix("destination.").removeprefix("consumer.")
        if name == "bootstrap.servers" and not self._reaches_target(setting.text):
            self._draft.differs(
                setting, f"was only looked at: the workers write records to {self._target}"
            )
        else:
            client = Client(
                alias=self.flow.target, role="admin", prefix=f"{self.flow}.target.admin."
            )
            import_client(self._draft, client, setting, name)

    def _reaches_target(self, servers: str) -> bool:
        return bool(addresses(self._target) & addresses(servers))
