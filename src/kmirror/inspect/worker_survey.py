"""What the cluster of a Connect worker has of it, before it is started; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.client import KafkaAdmin
from kmirror.admin.group_kind import read_group_kind
from kmirror.clock import Clock
from kmirror.config.worker import StorageTopic, WorkerConfig
from kmirror.inspect.worker_access import WORKERS_CLUSTER
from kmirror.jvm.key_stores import librdkafka_settings
from kmirror.plans.snapshot import settings_of
from kmirror.plans.worker_rules import Storage, StorageFacts, WorkerFacts

_CONNECT = "connect"


def survey_worker(config: WorkerConfig, *, timeout_s: float, clock: Clock) -> WorkerFacts:
    """
    Look at a worker's topics and its group.

    Args:
        config: The worker's file.
        timeout_s: Deadline of each question, seconds.
        clock: Where time comes from.

    Raises:
        ClusterError: The cluster did not answer.
    """
    if config.standalone:
        return WorkerFacts()
    rdkafka = librdkafka_settings(config.client)
    kind = read_group_kind(rdkafka, config.group_id, timeout_s=timeout_s)
    with KafkaAdmin(WORKERS_CLUSTER, rdkafka, timeout_s=timeout_s, clock=clock) as admin:
        return WorkerFacts(
            storages=tuple(_storages(config, admin)),
            brokers=len(admin.describe().brokers),
            group=(place_of_key(config, "group.id"), config.group_id),
            others=kind.members if kind.protocol == _CONNECT else 0,
        )


def place_of_key(config: WorkerConfig, *names: str) -> str:
    """Return the line of a worker's file that has the first of these keys; or else the file."""
    entries = config.entries()
    found = (entries[name].where for name in names if name in entries)
    return next(found, str(config.path))


def _storages(config: WorkerConfig, admin: ClusterAdmin) -> Iterator[StorageFacts]:
    there = admin.topics()
    storages: Sequence[tuple[Storage, StorageTopic | None]] = (
        (Storage.CONFIG, config.config_storage),
        (Storage.OFFSET, config.offset_storage),
        (Storage.STATUS, config.status_storage),
    )
    named = [(kind, topic.name) for kind, topic in storages if topic is not None]
    present = [name for _, name in named if name in there]
    read = admin.readable_topic_configs(present).entries if present else {}
    for kind, name in named:
        facts = StorageFacts(kind=kind, where=place_of_key(config, kind.key), topic=name)
        if name in there:
            state = there[name]
            facts = replace(facts, partitions=state.partitions, replicas=state.replicas)
        if name in read:
            facts = replace(facts, settings=settings_of(read[name]))
        yield facts
