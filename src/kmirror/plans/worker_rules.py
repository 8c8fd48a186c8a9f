"""What would go wrong with a Connect worker, by its file and its own cluster; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from kmirror.plans.check_facts import number
from kmirror.plans.check_rules import CheckFinding, Level
from kmirror.plans.text import first_few

CLEANUP_POLICY, COMPACT = "cleanup.policy", "compact"
_IN_SYNC = "min.insync.replicas"
ANOTHER_TOPIC = "name another topic, which is made as it has to be"


class Storage(StrEnum):
    """One of the three topics in which Connect keeps its state; the value begins its keys."""

    CONFIG = "config"
    OFFSET = "offset"
    STATUS = "status"

    @property
    def key(self) -> str:
        """The key that names the topic."""
        return f"{self}.storage.topic"

    @property
    def content(self) -> str:
        """What it has, in Connect's words."""
        return _CONTENT[self]


_CONTENT = {
    Storage.CONFIG: "connector configurations",
    Storage.OFFSET: "source connector offsets",
    Storage.STATUS: "connector and task statuses",
}


def is_compacted_only(policy: str) -> bool:
    """Whether a topic's `cleanup.policy` deletes nothing by age or size."""
    return {word.strip() for word in policy.lower().split(",")} == {COMPACT}


def wrong_policy(kind: Storage, topic: str, policy: str) -> str:
    """Say in Connect's words that a topic is not compacted only."""
    return (
        f"Topic '{topic}' supplied via the '{kind.key}' property is required to have "
        f"'{CLEANUP_POLICY}={COMPACT}' to guarantee consistency and durability of {kind.content}, "
        f"but found the topic currently has '{CLEANUP_POLICY}={policy}'. Continuing would likely "
        f"result in eventually losing {kind.content} and problems restarting this Connect cluster "
        "in the future."
    )


def wrong_partitions(topic: str, partitions: int) -> str:
    """Say in Connect's words that the topic of settings has more than one partition."""
    return (
        f"Topic '{topic}' supplied via the '{Storage.CONFIG.key}' property is required to have a "
        "single partition in order to guarantee consistency of connector configurations, but found "
        f"{partitions} partitions."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageFacts:
    """
    One of these topics.

    Args:
        kind: Which.
        where: The line of the file that names it.
        topic: Its name.
        partitions: How many there are; `None` where it is not to be seen.
        replicas: How many each has, or the least of them.
        settings: Its settings; empty where they may not be read.
    """

    kind: Storage
    where: str
    topic: str
    partitions: int | None = None
    replicas: int = 1
    settings: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFacts:
    """
    A worker.

    Args:
        storages: Its topics; none of a worker without a group.
        brokers: How many its cluster has.
        group: Its `group.id`, with the line of the file that names it.
        others: How many workers of Kafka Connect are in the group.
    """

    storages: tuple[StorageFacts, ...] = ()
    brokers: int = 1
    group: tuple[str, str] = ("", "")
    others: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFileFacts:
    """
    What a worker's file says that is no mistake, and may be one all the same.

    Args:
        where: The file.
        open_listeners: Addresses that others reach without TLS or a login, with the line of the
            file that names them.
        why_open: What follows from that, and what to do.
        overrides: Connectors may override every setting of clients (the policy `All`).
        slots: For how many slots there is room, with the line that says it.
        wanted: How many slots flows of known connectors have at least, by flow.
        idle: Connectors that do nothing, with the file of each.
    """

    where: str
    open_listeners: tuple[tuple[str, str], ...] = ()
    why_open: str = ""
    overrides: bool = False
    slots: tuple[str, int] = ("", 1)
    wanted: Mapping[str, int] | None = None
    idle: tuple[tuple[str, str], ...] = ()


def check_worker_file(facts: WorkerFileFacts) -> Iterator[CheckFinding]:
    """
    Look at a worker's file.

    Args:
        facts: What it says.
    """
    for where, address in facts.open_listeners:
        yield CheckFinding(
            level=Level.WARNING,
            kind="rest_open",
            where=where,
            words=f"the server listens on {address}",
            do=facts.why_open,
        )
    if facts.open_listeners and facts.overrides:
        yield CheckFinding(
            level=Level.WARNING,
            kind="override_policy",
            where=facts.where,
            words="connectors may override every setting of their clients "
            "(connector.client.config.override.policy = All, as in Connect)",
            why="whoever reaches the server can have records written anywhere, with the worker's "
            "own login",
            do="set connector.client.config.override.policy = Allowlist with what is needed, and "
            "kmirror.connect.allowed.servers",
        )
    wanted = facts.wanted or {}
    where, room = facts.slots
    if sum(wanted.values()) > room:
        yield CheckFinding(
            level=Level.ERROR,
            kind="slots",
            where=where,
            words=f"kmirror.connect.slots = {room}, and {first_few(list(wanted))} have "
            f"{sum(wanted.values())} slots together",
            why="a flow that finds no room is FAILED",
            do=f"set kmirror.connect.slots = {sum(wanted.values())}, or share them with a second "
            "worker",
        )
    for where, name in facts.idle:
        yield CheckFinding(
            level=Level.NOTE,
            kind="connector_off",
            where=where,
            words=f"connector {name} does nothing: it is switched off by its own settings",
        )


def check_worker(facts: WorkerFacts) -> Iterator[CheckFinding]:
    """
    Look at a worker's own cluster.

    Args:
        facts: What is known of it.
    """
    if facts.others:
        where, group = facts.group
        yield CheckFinding(
            level=Level.ERROR,
            kind="workers_of_connect",
            where=where,
            words=f"group.id = {group}: {facts.others} workers of Kafka Connect are in this group",
            why="the worker does not start beside them: both would copy the same records",
            do="stop them first, or name another group and other topics",
        )
    for storage in facts.storages:
        yield from _check_storage(storage, facts.brokers)


def _check_storage(facts: StorageFacts, brokers: int) -> Iterator[CheckFinding]:
    head = f"{facts.kind.key} = {facts.topic}: "
    if facts.partitions is None:
        yield CheckFinding(
            level=Level.NOTE,
            kind="storage_absent",
            where=facts.where,
            words=f"{head}there is no such topic, or it is hidden; the worker makes it",
            why="a worker that shall go on with connectors of a Connect cluster needs that "
            "cluster's topic, or it begins without any"
            if facts.kind is Storage.CONFIG
            else "",
        )
        return
    if facts.kind is Storage.CONFIG and facts.partitions != 1:
        words = wrong_partitions(facts.topic, facts.partitions)
        yield _refused("storage_partitions", facts, words, do=ANOTHER_TOPIC)
    if facts.settings is None:
        yield CheckFinding(
            level=Level.NOTE,
            kind="storage_untold",
            where=facts.where,
            words=f"{head}its settings may not be read: whether it is compacted was not checked",
            do="grant DescribeConfigs on it to whoever checks; the worker needs it not",
        )
    elif not is_compacted_only(policy := facts.settings.get(CLEANUP_POLICY, COMPACT)):
        words = wrong_policy(facts.kind, facts.topic, policy)
        yield _refused(
            "storage_policy",
            facts,
            words,
            do=f"kafka-configs.sh --alter --entity-type topics --entity-name {facts.topic} "
            f"--add-config {CLEANUP_POLICY}={COMPACT}, or {ANOTHER_TOPIC}",
        )
    in_sync = number((facts.settings or {}).get(_IN_SYNC))
    if in_sync is not None and in_sync > facts.replicas:
        yield CheckFinding(
            level=Level.ERROR,
            kind="storage_in_sync",
            where=facts.where,
            words=f"{head}{_IN_SYNC} = {in_sync}, and it has {facts.replicas} replicas",
            why="it takes no record: NOT_ENOUGH_REPLICAS",
            do=f"set {_IN_SYNC} = {facts.replicas} on it, or give it more replicas",
        )
    if facts.replicas == 1 < brokers:
        yield CheckFinding(
            level=Level.WARNING,
            kind="storage_replicas",
            where=facts.where,
            words=f"{head}it has one replica, and there are {brokers} brokers",
            why=f"while its broker is away no worker starts; {facts.kind.content} are lost with it",
            do=f"kafka-reassign-partitions.sh: give it {min(3, brokers)} replicas",
        )


def _refused(kind: str, facts: StorageFacts, words: str, *, do: str) -> CheckFinding:
    return CheckFinding(
        level=Level.ERROR,
        kind=kind,
        where=facts.where,
        words=f"{facts.kind.key} = {facts.topic}: {words}",
        why="the worker does not start",
        do=do,
    )
