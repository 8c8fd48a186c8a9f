"""A mirror of a KafkaMirrorMaker2: its connectors and patterns."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.config.connector import Kind
from kmirror.importers.draft import Draft
from kmirror.importers.mirror_connectors import MirrorConnector
from kmirror.importers.setting import Setting
from kmirror.importers.tree import Node
from kmirror.model import Flow

_CONNECTORS = {
    "sourceConnector": Kind.SOURCE,
    "checkpointConnector": Kind.CHECKPOINT,
    "heartbeatConnector": Kind.HEARTBEAT,
}
_PATTERNS = {
    "topicsPattern": "topics",
    "topicsExcludePattern": "topics.exclude",
    "topicsBlacklistPattern": "topics.exclude",
    "groupsPattern": "groups",
    "groupsExcludePattern": "groups.exclude",
    "groupsBlacklistPattern": "groups.exclude",
}
_FIELDS = {
    "autoRestart": "kmirror restarts what fails by itself, see docs/operations.md",
    "version": "of the connector's plug-in; kmirror has none",
    "listOffsets": "`kmirror status` and `kmirror offsets` show positions",
    "alterOffsets": "`kmirror seek` and `kmirror skip` change positions",
}


def mirror_connectors(draft: Draft, mirror: Node, flow: Flow) -> list[MirrorConnector]:
    """
    Return the connectors that Strimzi would make of a mirror.

    Args:
        draft: Told what belongs to none of them.
        mirror: An item of `mirrors`.
        flow: Its clusters.
    """
    # Patterns win over what the connectors' own `config` says.
    for field, key in _PATTERNS.items():
        pattern = mirror.get(field)
        if pattern is not None:
            draft.write(pattern.text_setting(), f"{flow}.{key}")
    for name in ("sourceCluster", "targetCluster"):
        if (cluster := mirror.get(name)) is not None:
            draft.equal(cluster.setting(), "", f"{flow}.enabled")
    found = []
    for field, kind in _CONNECTORS.items():
        spec = mirror.get(field)
        if spec is not None:
            settings = tuple(_settings(draft, spec, field, flow))
            name = f"{flow}.{kind}"
            found.append(MirrorConnector(kind=kind, name=name, flow=flow, settings=settings))
    for other in mirror.fields():
        if other.key not in {"source", "sourceCluster", "targetCluster", *_PATTERNS, *_CONNECTORS}:
            draft.refuse(other.setting(), "unknown to kmirror")
    return found


def _settings(draft: Draft, spec: Node, connector: str, flow: Flow) -> Iterator[Setting]:
    for field in spec.fields():
        setting = field.setting(f"{connector}.{field.key}")
        if field.key == "tasksMax":
            yield field.text_setting("tasks.max")
        elif field.key == "config":
            yield from field.settings()
        elif field.key in {"pause", "state"}:
            if setting.text in {"true", "paused", "stopped"}:
                draft.differs(
                    setting, f"the flow runs once it is started; see `kmirror pause {flow}`"
                )
            else:
                draft.equal(setting)
        elif field.key in _FIELDS:
            draft.differs(setting, _FIELDS[field.key])
        else:
            draft.refuse(setting, "unknown to kmirror")
