"""MirrorMaker 2 as connectors: what each key of theirs is in the driver's file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.config.connector import Kind, only_reader
from kmirror.config.keys.table import CLIENT_NAMES, KEYS
from kmirror.config.resolve import ROLES
from kmirror.importers.connect_worker import OF_WORKERS
from kmirror.importers.draft import Draft
from kmirror.importers.names import addresses
from kmirror.importers.setting import Setting
from kmirror.model import Flow

_CONVERTERS = (
    "kmirror copies the bytes of keys, values and headers unchanged, as ByteArrayConverter does; "
    "another converter made other bytes of them"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MirrorConnector:
    """
    One of MirrorMaker 2's connectors.

    Args:
        kind: Which of the three.
        name: Its name, part of MM2's positions.
        flow: Its clusters.
        settings: All that is set.
    """

    kind: Kind
    name: str
    flow: Flow
    settings: tuple[Setting, ...]


def import_connectors(draft: Draft, connectors: Sequence[MirrorConnector]) -> None:
    """
    Make flows of connectors.

    The records' connector comes first: where two of a flow disagree, it is the one that counts.
    """
    for connector in sorted(connectors, key=lambda each: list(Kind).index(each.kind)):
        draft.flow(connector.flow)
        if connector.kind is Kind.SOURCE:
            draft.add(
                f"{connector.flow}.name",
                connector.name,
                f"positions of MirrorMaker 2 lie under the name of its {Kind.SOURCE}",
            )
        for setting in connector.settings:
            import_setting(draft, connector.kind, connector.flow, setting)
    for flow in dict.fromkeys(each.flow for each in connectors):
        _say_what_is_off(draft, flow, {each.kind for each in connectors if each.flow == flow})


def _say_what_is_off(draft: Draft, flow: Flow, kinds: set[Kind]) -> None:
    """Switch off what the driver does by default, and connectors that are not there do not."""
    if Kind.HEARTBEAT in kinds:
        draft.add(f"{flow}.emit.heartbeats.enabled", "true", f"there is a {Kind.HEARTBEAT}")
    draft.add(
        "emit.heartbeats.enabled", "false", f"other pairs of clusters have no {Kind.HEARTBEAT}"
    )
    if Kind.CHECKPOINT not in kinds:
        draft.add(f"{flow}.emit.checkpoints.enabled", "false", f"there is no {Kind.CHECKPOINT}")
    if Kind.SOURCE not in kinds:
        draft.remark(
            f"{flow}: there is no {Kind.SOURCE}, so MirrorMaker 2 copied no records; kmirror does, "
            "and makes checkpoints and offset syncs of its own"
        )


def import_setting(draft: Draft, kind: Kind, flow: Flow, setting: Setting) -> None:
    """Write one setting of a connector into its flow, or below one of its clusters."""
    name = setting.key
    if name in {"connector.class", "source.cluster.alias", "target.cluster.alias"}:
        draft.equal(setting, "", f"{flow}.enabled")
    elif name == "name":
        if kind is Kind.SOURCE:
            draft.equal(setting, "", f"{flow}.name")
        else:
            draft.differs(setting, "what it does belongs to the flow, and has no name of its own")
    elif only_reader(name) not in {None, kind}:
        draft.equal(setting, f"has no effect in a {kind} in MirrorMaker 2 either: left out")
    elif name == "tasks.max" and kind is not Kind.SOURCE:
        draft.differs(setting, "the flow's own process does this work, beside the copying tasks")
    elif name.startswith(("source.cluster.", "target.cluster.")):
        _of_cluster(draft, flow, setting)
    elif name == "clusters" or "->" in name:
        draft.equal(setting, "has no effect in a connector in MirrorMaker 2 either: left out")
    else:
        draft.write(setting, f"{flow}.{name}")


def _of_cluster(draft: Draft, flow: Flow, setting: Setting) -> None:
    end, _, name = setting.key.partition(".cluster.")
    alias = flow.source if end == "source" else flow.target
    if name in CLIENT_NAMES:
        draft.write(setting, f"{alias}.{name}")
        return
    meant = f"{alias}.{name}" if name.startswith(ROLES) else f"{alias}.consumer.{name}"
    draft.equal(
        setting,
        f"has no effect in MirrorMaker 2 either: no client reads it; left out. If it is to have "
        f"one: {meant}",
    )


def import_worker(draft: Draft, target: str, settings: Sequence[Setting]) -> None:
    """
    Write what counts of a Connect worker's file.

    Args:
        draft: Receives it.
        target: The cluster that the workers write to.
        settings: The lines of the file.
    """
    for setting in settings:
        import_worker_setting(draft, target, setting)


def import_worker_setting(draft: Draft, target: str, setting: Setting) -> None:
    """Write one setting of a Connect worker below the cluster that it writes to."""
    name = setting.key
    if name.startswith("config.providers"):
        draft.write(setting, name)
    elif name == "bootstrap.servers" and _is_another(setting.text, draft, target):
        draft.differs(
            setting,
            f"the workers write records to these brokers; kmirror writes to {target}. If they are "
            f"not one cluster, give {target} the workers' addresses",
        )
    elif name.startswith(("consumer.", "admin.")):
        draft.equal(setting, "MirrorMaker 2's clients do not read it either: left out")
    elif name in CLIENT_NAMES or name.startswith("producer.") or _is_known_of_workers(name):
        draft.write(setting, f"{target}.{name}")
    elif ".converter" in name:
        draft.differs(setting, _CONVERTERS)
    else:
        draft.differs(setting, OF_WORKERS)


def _is_another(servers: str, draft: Draft, target: str) -> bool:
    known = draft.text(f"{target}.bootstrap.servers")
    return known is not None and not addresses(servers) & addresses(known)


def _is_known_of_workers(name: str) -> bool:
    return name in KEYS and name.startswith(("offset.storage.", "exactly.once.source."))
