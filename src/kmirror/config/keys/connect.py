"""The keys of a Connect worker's own file, distributed or standalone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kmirror.config.checks import check_not_empty, check_servers, check_topic_text
from kmirror.config.client_settings import SETTINGS_OF_ROLE
from kmirror.config.keys.key import Key, KeyType, Scope
from kmirror.config.keys.server import ADMIN_HTTPS_PREFIX, HTTPS_PREFIX, SERVER_KEYS
from kmirror.config.keys.worker import BYTES_CONVERTER

SIMPLE_HEADER_CONVERTER = "org.apache.kafka.connect.storage.SimpleHeaderConverter"
POLICIES = ("None", "All", "Principal", "Allowlist")
STORAGES = ("config.storage.", "offset.storage.", "status.storage.")
# Read by the server; here they only have to be known.
REST_NAMES = frozenset((*(key.name for key in SERVER_KEYS), "ssl.client.auth"))
REST_PREFIXES = (HTTPS_PREFIX, ADMIN_HTTPS_PREFIX, "rest.extension.classes.")

_key = partial(Key, scope=Scope.WORKER)
_number = partial(_key, type=KeyType.LONG, low=0)
_flag = partial(_key, type=KeyType.BOOLEAN)
_idle = partial(_key, type=KeyType.STRING, active=False)
_replicas = partial(_key, type=KeyType.SHORT, low=1, also=(-1,), default=3)
_partitions = partial(_key, type=KeyType.INT, low=1, also=(-1,))
_topic = partial(_key, type=KeyType.STRING, check=check_topic_text)

_STORAGE_KEYS = (
    _topic(name="config.storage.topic", doc="Has the connectors' settings."),
    _replicas(name="config.storage.replication.factor", doc="Applies when it is created."),
    _topic(name="offset.storage.topic", doc="Has the positions of source connectors."),
    _partitions(name="offset.storage.partitions", default=25, doc="Applies when it is created."),
    _replicas(name="offset.storage.replication.factor", doc="Applies when it is created."),
    _topic(name="status.storage.topic", doc="Has what connectors and tasks do."),
    _partitions(name="status.storage.partitions", default=5, doc="Applies when it is created."),
    _replicas(name="status.storage.replication.factor", doc="Applies when it is created."),
)

_GROUP_KEYS = (
    _key(name="group.id", type=KeyType.STRING, doc="Workers with the same one share flows."),
)

_CONNECTOR_KEYS = (
    *(
        _key(
            name=f"{part}.converter",
            type=KeyType.CLASS,
            default=default,
            doc="What connectors have that name no converter of their own.",
        )
        for part, default in (
            ("key", BYTES_CONVERTER),
            ("value", BYTES_CONVERTER),
            ("header", SIMPLE_HEADER_CONVERTER),
        )
    ),
    _key(
        name="connector.client.config.override.policy",
        type=KeyType.STRING,
        default="All",
        doc="Which `producer.override.*` connectors may have: None, All, Principal or Allowlist.",
    ),
    _key(
        name="connector.client.config.override.allowlist",
        type=KeyType.LIST,
        default=(),
        doc="With Allowlist (KIP-1188): these.",
    ),
    _key(
        name="exactly.once.source.support",
        type=KeyType.STRING,
        default="disabled",
        choices=("disabled", "preparing", "enabled"),
        any_case=True,
        doc="Whether connectors may ask for `exactly.once.support = required`.",
    ),
    _flag(name="topic.tracking.enable", default=True, doc="Remember connectors' topics."),
    _flag(name="topic.tracking.allow.reset", default=True, doc="Let them be forgotten."),
    _flag(name="topic.creation.enable", default=True, active=False, doc="MM2 makes its topics."),
    _key(name="config.providers", type=KeyType.LIST, default=(), doc="Names of config providers."),
)

_SPARK_KEYS = (
    _key(
        name="kmirror.connect.slots",
        type=KeyType.INT,
        low=1,
        default=16,
        doc="For how many slots of all flows together the worker's Spark has room.",
    ),
)

_ALLOWED_KEYS = (
    _key(
        name="kmirror.connect.allowed.servers",
        type=KeyType.LIST,
        check=check_not_empty,
        doc="The `host:port` that connectors may name, with `*` for any part; by default all.",
    ),
    _key(
        name="kmirror.connect.allowed.paths",
        type=KeyType.LIST,
        default=(),
        doc="Directories whose files connectors may name, beside those of the worker's own files.",
    ),
    _key(
        name="kmirror.connect.allowed.urls",
        type=KeyType.LIST,
        default=(),
        doc="URLs that connectors may name, and those below them, beside the worker's own.",
    ),
    _key(
        name="kmirror.connect.allowed.classes",
        type=KeyType.LIST,
        default=(),
        doc="Java classes that connectors may name, beside Kafka's and the worker's own.",
    ),
)

_IDLE_KEYS = (
    _key(
        name="plugin.path",
        type=KeyType.LIST,
        active=False,
        doc="Not read: MirrorMaker 2's connectors and Kafka's transforms are part of kmirror.",
    ),
    _key(
        name="offset.storage.file.filename",
        type=KeyType.STRING,
        active=False,
        doc="Not read: a standalone worker's positions are on the target, too.",
    ),
    *(
        _number(name=name, active=False, doc="Of Kafka Connect's groups; kmirror has its own.")
        for name in (
            "heartbeat.interval.ms",
            "rebalance.timeout.ms",
            "scheduled.rebalance.max.delay.ms",
            "session.timeout.ms",
            "task.shutdown.graceful.timeout.ms",
            "worker.sync.timeout.ms",
            "worker.unsync.backoff.ms",
        )
    ),
    *(
        _number(name=name, active=False, doc="kmirror commits positions with their records.")
        for name in ("offset.flush.interval.ms", "offset.flush.timeout.ms")
    ),
    *(
        _idle(name=name, doc="Of Kafka Connect's workers.")
        for name in (
            "connect.protocol",
            "inter.worker.key.generation.algorithm",
            "inter.worker.key.size",
            "inter.worker.key.ttl.ms",
            "inter.worker.signature.algorithm",
            "inter.worker.verification.algorithms",
            "metric.reporters",
            "metrics.num.samples",
            "metrics.recording.level",
            "metrics.sample.window.ms",
            "plugin.discovery",
        )
    ),
)

CONNECT_SECTIONS: tuple[tuple[str, tuple[Key, ...]], ...] = (
    (
        "The worker's cluster",
        (
            replace(
                SETTINGS_OF_ROLE["admin"]["bootstrap.servers"],
                check=check_servers,
                default=("localhost:9092",),
                doc="The cluster that keeps the worker's topics, and connectors' records.",
            ),
        ),
    ),
    ("What is kept", _STORAGE_KEYS),
    ("Several workers", _GROUP_KEYS),
    ("What connectors may do", _CONNECTOR_KEYS + _SPARK_KEYS + _ALLOWED_KEYS),
    ("Accepted, and not needed", _IDLE_KEYS),
)

CONNECT_KEYS: dict[str, Key] = {key.name: key for _, keys in CONNECT_SECTIONS for key in keys}
