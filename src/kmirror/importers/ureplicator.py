"""Uber's uReplicator: the properties files of its workers and its controller."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from kmirror.importers.clients import Client, import_client
from kmirror.importers.draft import Draft
from kmirror.importers.flows import adopt_copies
from kmirror.importers.mm1 import finish
from kmirror.importers.names import CopyNames, add_router, addresses, exactly
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import Setting, SourceFile, read_properties, wrong
from kmirror.model import Flow

_NAME = "uReplicator"
_SERVERS = "kafka.cluster.servers."
_OTHERS = ("kafka.cluster.", "secure.kafka.cluster.")
_EXCLUDED = "controller.pattern.exclude.topics"
_REFRESH = "controller.refresh.time.in.seconds"
_CONTROLLER = "of uReplicator's controller; kmirror assigns partitions to slots itself"
_TOPICS = (
    "{}: uReplicator's controller knows the topics (curl http://CONTROLLER:9000/topics): write them"
)
_CHAINED = (
    "one topic is mapped to the name of another one that is mapped, too: give the two flows of "
    "their own; this one copies nothing until it is decided"
)
_KINDS = ("clusters", "consumer", "producer", "mapping", "secure", "helix")
# Keys by which a file is known whose name says nothing.
_SIGNS = {
    "helix": ("zkServer", "helixClusterName", "instanceId", "controller.", "enable"),
    "clusters": _OTHERS,
    "consumer": ("group.id", "zookeeper.connect", "fetch."),
    "producer": ("producer.type", "linger.ms", "batch.size", "acks", "compression."),
}


def import_ureplicator(files: Sequence[SourceFile], options: ImportOptions) -> Draft:
    """
    Read the files of a route.

    Raises:
        ConfigError: The consumer's or the producer's file is missing.
    """
    found = _by_kind(files)
    for kind in ("consumer", "producer"):
        if not found.get(kind):
            raise wrong(files[0].name, "file", f"expected uReplicator's {kind}.properties, too")
    draft = Draft()
    names = _Clusters(found.get("clusters", ()))
    flow = Flow(
        names.alias(found["consumer"], options.source),
        names.alias(found["producer"], options.target),
    )
    draft.flow(flow)
    CopyNames().write(draft, flow)
    for role, alias in (("consumer", flow.source), ("producer", flow.target)):
        client = Client(alias=alias, role=role, prefix=f"{alias}.{role}.")
        for setting in found[role]:
            import_client(draft, client, setting, setting.key)
    names.write(draft, flow)
    for setting in found.get("secure", ()):
        _secure(draft, flow, setting)
    _mappings(draft, flow, found.get("mapping", ()))
    for setting in found.get("helix", ()):
        _controller(draft, flow, setting)
    finish(draft, flow, _NAME)
    adopt_copies(draft, flow)
    return draft


def _by_kind(files: Sequence[SourceFile]) -> dict[str, tuple[Setting, ...]]:
    found: dict[str, tuple[Setting, ...]] = {}
    for file in files:
        settings = read_properties(file)
        kind = _kind(file, settings)
        found[kind] = (*found.get(kind, ()), *settings)
    return found


def _kind(file: SourceFile, settings: Sequence[Setting]) -> str:
    name = PurePosixPath(file.name).name
    for kind in _KINDS:
        if kind.removesuffix("s") in name:
            return kind
    for kind, signs in _SIGNS.items():
        if any(setting.key.startswith(signs) for setting in settings):
            return kind
    raise wrong(file.name, "file", f"is none of uReplicator's: name it like {', '.join(_KINDS)}")


class _Clusters:
    """What `clusters.properties` says: names of clusters, and their addresses."""

    def __init__(self, settings: Sequence[Setting]) -> None:
        self._settings = settings

    def alias(self, client: Sequence[Setting], otherwise: str) -> str:
        """Return the name of the cluster that a client speaks to."""
        servers = next((each.text for each in client if each.key == "bootstrap.servers"), "")
        wanted = addresses(servers)
        for setting in self._settings:
            if setting.key.startswith(_SERVERS) and addresses(setting.text) & wanted:
                return setting.key.removeprefix(_SERVERS)
        return otherwise

    def write(self, draft: Draft, flow: Flow) -> None:
        """Write the addresses of the flow's clusters; say that the others have no flow."""
        for setting in self._settings:
            name = setting.key.rpartition(".")[2]
            if setting.key.startswith(_SERVERS) and name in {flow.source, flow.target}:
                draft.write(setting, f"{name}.bootstrap.servers")
            elif ".zkStr." in setting.key:
                draft.differs(setting, "kmirror does not speak to ZooKeeper")
            elif setting.key.startswith("secure."):
                draft.differs(
                    setting,
                    f"for a flow with TLS these are the addresses: {name}.bootstrap.servers",
                )
            else:
                draft.differs(setting, "is in no flow of this route: import its route by itself")


def _secure(draft: Draft, flow: Flow, setting: Setting) -> None:
    """Write what `secure.properties` says of both clients."""
    for alias, role in ((flow.source, "consumer"), (flow.target, "producer")):
        client = Client(alias=alias, role=role, prefix=f"{alias}.{role}.")
        import_client(draft, client, setting, setting.key)


def _mappings(draft: Draft, flow: Flow, settings: Sequence[Setting]) -> None:
    """Write topics that are mapped; one of another name gets a transform that names its copy."""
    names = exactly(setting.key for setting in settings)
    if names:
        draft.add(f"{flow}.topics", ", ".join(names), "", setting=settings[0])
        draft.remark(_TOPICS.format(flow) + ", if there are more than the mapped ones")
    else:
        draft.remark(_TOPICS.format(flow) + f" as {flow}.topics")
        draft.hold(flow)
    moved = [each for each in settings if each.text.strip() != each.key]
    taken = {each.key for each in moved} & {each.text.strip() for each in moved}
    for number, setting in enumerate(settings):
        if setting not in moved:
            draft.equal(setting, "", f"{flow}.topics")
        elif taken:
            # A name that is given away and taken again: transforms in a row would mix them up.
            draft.refuse(setting, _CHAINED)
            draft.hold(flow)
        else:
            (regex,) = exactly((setting.key,))
            add_router(draft, flow, f"map{number}", regex, setting.text.strip())
            draft.equal(setting, "", f"{flow}.topics", f"{flow}.transforms")


def _controller(draft: Draft, flow: Flow, setting: Setting) -> None:
    if setting.key == _EXCLUDED:
        draft.write(setting, f"{flow}.topics.exclude", f"{setting.text.strip()}, __.*")
    elif setting.key == _REFRESH:
        draft.write(setting, f"{flow}.refresh.topics.interval.seconds")
    elif setting.key == "controller.enable.auto.whitelist" and setting.yes:
        draft.differs(
            setting,
            "uReplicator copied topics that both clusters had; kmirror copies those that are "
            "named, and makes them",
        )
    elif setting.key == "controller.enable.auto.topic.expansion":
        draft.equal(setting, "new partitions are copied within seconds")
    elif "zk" in setting.key.lower() or "helix" in setting.key.lower():
        draft.differs(setting, "kmirror does not speak to ZooKeeper")
    else:
        draft.differs(setting, _CONTROLLER)
