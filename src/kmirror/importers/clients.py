"""Settings of Kafka's clients in files of others, from version 0.8 on."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.guards import NOT_APPLIED
from kmirror.config.keys.table import CLIENT_NAMES, client_key
from kmirror.importers.draft import Draft
from kmirror.importers.setting import Setting

BYTES_CLASSES = frozenset(
    {
        "ByteArrayConverter",
        "ByteArrayDeserializer",
        "ByteArraySerializer",
        "DefaultDecoder",
        "DefaultEncoder",
    }
)
RENAMED = {
    "consumer": {
        "fetch.message.max.bytes": "max.partition.fetch.bytes",
        "fetch.wait.max.ms": "fetch.max.wait.ms",
        "socket.receive.buffer.bytes": "receive.buffer.bytes",
    },
    "producer": {
        "broker.list": "bootstrap.servers",
        "compression.codec": "compression.type",
        "metadata.broker.list": "bootstrap.servers",
        "message.send.max.retries": "retries",
        "queue.buffering.max.ms": "linger.ms",
        "request.required.acks": "acks",
    },
    "admin": {},
}
RESETS = {"smallest": "earliest", "largest": "latest"}
SERIALIZERS = frozenset(
    f"{part}{kind}"
    for part in ("key.", "value.", "")
    for kind in ("serializer", "deserializer", "serializer.class", "deserializer.class")
)
_JAVA_CLASSES = {
    "interceptor.classes": "Java classes cannot be loaded here: leave it out, or say in SQL what "
    "it does to records (kmirror.where, kmirror.select.*)",
}
_NOT_NEEDED = {
    "metric.reporters": "kmirror has metrics of its own, see docs/monitoring.md",
    "partition.assignment.strategy": "kmirror assigns partitions itself, and no rebalance stops it",
    "partitioner.class": "a copy has the partition of its source record",
    "auto.commit.interval.ms": "positions are committed with the records, see "
    "kmirror.commit.interval.ms",
    "client.id": "kmirror names its clients after the flow",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """
    A client of a flow.

    Args:
        alias: The cluster that it speaks to.
        role: `consumer`, `producer` or `admin`.
        prefix: Of its keys in the properties file.
    """

    alias: str
    role: str
    prefix: str


def import_client(draft: Draft, client: Client, setting: Setting, name: str) -> None:
    """
    Write a setting of a client.

    Args:
        draft: Receives it.
        client: Whose.
        setting: The setting.
        name: What Kafka calls it; its key without the other system's prefix.
    """
    new = name_today(client.role, name)
    if name in SERIALIZERS:
        if is_bytes_class(setting.text):
            draft.equal(setting, "kmirror copies the bytes unchanged, too")
        else:
            draft.differs(setting, "kmirror copies the bytes unchanged")
    elif new in CLIENT_NAMES:
        draft.write(setting, f"{client.alias}.{new}", is_old=new != name)
    elif new in NOT_APPLIED[client.role]:
        _not_applied(draft, client.role, setting, new)
    elif new in _JAVA_CLASSES:
        _java_class(draft, setting, new)
    elif new in _NOT_NEEDED:
        draft.differs(setting, _NOT_NEEDED[new])
    elif "zookeeper" in name:
        draft.differs(setting, "kmirror does not speak to ZooKeeper")
    elif client_key(client.role, new) is None:
        draft.differs(setting, f"is no setting of today's {client.role}: left out")
    else:
        text = RESETS.get(setting.text.strip(), setting.text)
        renamed = "" if new == name else f"the old name of {new}"
        key = f"{client.prefix}{new}"
        draft.write(setting, key, text, differs=renamed, is_old=new != name)


def name_today(role: str, name: str) -> str:
    """
    Return what a setting of Kafka's clients is called today.

    Args:
        role: `consumer`, `producer` or `admin`.
        name: What it was called in Kafka 0.8 or later.
    """
    return RENAMED[role].get(name, name)


def _not_applied(draft: Draft, role: str, setting: Setting, name: str) -> None:
    harmless, why = NOT_APPLIED[role][name]
    if setting.text.strip().lower() in harmless:
        draft.equal(setting, why)
    else:
        draft.differs(setting, f"not applied: {why}")


def _java_class(draft: Draft, setting: Setting, name: str) -> None:
    if setting.text.startswith("io.confluent.monitoring."):
        draft.equal(setting, "only counts records: left out")
    else:
        draft.refuse(setting, _JAVA_CLASSES[name])


def is_bytes_class(text: str) -> bool:
    """Whether a class leaves bytes as they are; so does none."""
    return not text.strip() or text.strip().rpartition(".")[2] in BYTES_CLASSES
