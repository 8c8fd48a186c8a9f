"""
Kafka Connect: what its REST API says of connectors, and the file of its workers.

It takes `GET /connectors?expand=info`, `GET /connectors/NAME`, the body of a POST, a bare
configuration, lists of these, and a connector's properties file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kmirror.config.connector import Kind, kind_of
from kmirror.importers.draft import Draft
from kmirror.importers.json_tree import read_json
from kmirror.importers.mirror_connectors import MirrorConnector, import_connectors, import_worker
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import Setting, SourceFile, read_properties, wrong
from kmirror.importers.tree import Node
from kmirror.model import Flow

_CLASS = "connector.class"
_TRANSFORMS = ("transforms", "predicates")
_EXPECTED = (
    "expected connectors, such as curl 'http://HOST:8083/connectors?expand=info' gives them, or "
    "the file of a worker"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connector:
    """
    A connector of any kind.

    Args:
        name: Its name.
        settings: Its configuration.
        where: The file it is in.
    """

    name: str
    settings: tuple[Setting, ...]
    where: str

    def setting(self, key: str) -> Setting | None:
        """Return one of its settings."""
        return next((each for each in self.settings if each.key == key), None)

    def text(self, key: str) -> str:
        """Return the value of one of its settings; empty if it has none, or one that is no text."""
        found = self.setting(key)
        return "" if found is None or found.no_text else found.text.strip()

    @property
    def transforms(self) -> tuple[Setting, ...]:
        """What it does to records and names."""
        return tuple(each for each in self.settings if each.key.startswith(_TRANSFORMS))

    @property
    def kind(self) -> str:
        """The class, as it is written."""
        return self.text(_CLASS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectFiles:
    """
    The files of a Connect cluster.

    Args:
        connectors: All connectors.
        worker: The lines of the workers' file.
    """

    connectors: tuple[Connector, ...]
    worker: tuple[Setting, ...]


def read_connect_files(files: Sequence[SourceFile]) -> ConnectFiles:
    """
    Read connectors and workers from files of either kind.

    Raises:
        ConfigError: There are no connectors.
    """
    connectors: list[Connector] = []
    worker: list[Setting] = []
    for file in files:
        if file.is_json:
            found = list(_connectors(read_json(file), file.name))
            if not found:
                raise wrong(file.name, "file", _EXPECTED)
            connectors += found
            continue
        lines = read_properties(file)
        if any(each.key == _CLASS for each in lines):
            connectors.append(_connector("", lines, file.name))
        else:
            worker += lines
    if not connectors:
        raise wrong(files[0].name, "file", f"has no connectors; {_EXPECTED}")
    return ConnectFiles(connectors=tuple(connectors), worker=tuple(worker))


def _connectors(node: Node, file: str) -> Iterator[Connector]:
    """Find connectors, whatever lies around them."""
    if node.text(_CLASS) is not None:
        yield _connector(node.text("name") or node.key, node.settings(), file)
    elif (config := node.get("config")) is not None and config.text(_CLASS) is not None:
        yield _connector(node.text("name") or node.key, config.settings(), file)
    elif (info := node.get("info")) is not None:
        yield from _connectors(info, file)
    else:
        for below in (*node.items(), *node.fields()):
            yield from _connectors(below, file)


def _connector(name: str, settings: Sequence[Setting], file: str) -> Connector:
    named = next((each.text for each in settings if each.key == "name" and not each.no_text), name)
    return Connector(name=named, settings=tuple(settings), where=file)


def import_connect(files: Sequence[SourceFile], options: ImportOptions) -> Draft:  # noqa: ARG001
    """
    Make flows of MirrorMaker 2's connectors.

    Raises:
        ConfigError: There are none.
    """
    read = read_connect_files(files)
    draft = Draft()
    mirrors = [
        _mirror(each, kind) for each in read.connectors if (kind := kind_of(each.kind)) is not None
    ]
    if not mirrors:
        kinds = ", ".join(dict.fromkeys(each.kind for each in read.connectors))
        raise wrong(files[0].name, _CLASS, f"expected MirrorMaker 2's connectors, not {kinds}")
    import_connectors(draft, mirrors)
    targets = list(dict.fromkeys(each.flow.target for each in mirrors))
    import_worker(draft, targets[0], read.worker)
    _name_positions(draft, targets, has_worker=bool(read.worker))
    for connector in read.connectors:
        named = connector.setting(_CLASS)
        if kind_of(connector.kind) is None and named is not None:
            draft.differs(named, f"{connector.name} is no mirror: it stays where it is")
    return draft


def _mirror(connector: Connector, kind: Kind) -> MirrorConnector:
    source = connector.text("source.cluster.alias")
    target = connector.text("target.cluster.alias") or "target"
    if not source:
        at = connector.setting(_CLASS)
        where = connector.where if at is None else at.where
        raise wrong(
            where, "source.cluster.alias", f"expected one in the connector {connector.name}"
        )
    return MirrorConnector(
        kind=kind,
        name=connector.name or str(kind),
        flow=Flow(source, target),
        settings=connector.settings,
    )


def _name_positions(draft: Draft, targets: Sequence[str], *, has_worker: bool) -> None:
    if not has_worker:
        draft.remark(
            f"MirrorMaker 2's positions are in the workers' offset.storage.topic: import their "
            f"file, too, or write {targets[0]}.offset.storage.topic; else partitions whose copies "
            "have records are parked"
        )
    if len(targets) > 1:
        draft.remark(
            f"one worker's file was read as that of {targets[0]}: what it says of others, such as "
            f"{targets[1]}.offset.storage.topic, is to be written by hand"
        )
