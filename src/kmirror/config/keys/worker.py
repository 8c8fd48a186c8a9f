"""Keys of Kafka Connect, which runs MM2: the worker's and what every connector has."""

from __future__ import annotations

from functools import partial

from kmirror.config.checks import check_topic_text
from kmirror.config.keys.key import Key, KeyType, Scope

_storage = partial(Key, scope=Scope.WORKER_OR_TOP)
_idle_storage = partial(Key, scope=Scope.WORKER_OR_TOP, active=False)
_idle = partial(Key, scope=Scope.WORKER, active=False)
_idle_flow = partial(Key, scope=Scope.FLOW, active=False)
_idle_only = partial(Key, scope=Scope.FLOW_ONLY, active=False)

BYTES_CONVERTER = "org.apache.kafka.connect.converters.ByteArrayConverter"

WORKER_KEYS = (
    _storage(
        name="offset.storage.topic",
        type=KeyType.STRING,
        check=check_topic_text,
        doc="The topic on the target with MM2's positions; `mm2-offsets.<S>.internal` if absent.",
    ),
    _storage(
        name="offset.storage.partitions",
        type=KeyType.INT,
        default=25,
        low=1,
        also=(-1,),
        doc="Applies when that topic is created.",
    ),
    _storage(
        name="offset.storage.replication.factor",
        type=KeyType.SHORT,
        default=3,
        low=1,
        also=(-1,),
        doc="Applies when that topic is created.",
    ),
    *(
        _idle_storage(
            name=name, type=type_, low=low, also=also, doc="An internal topic of Kafka Connect."
        )
        for name, type_, low, also in (
            ("config.storage.topic", KeyType.STRING, None, ()),
            ("config.storage.replication.factor", KeyType.SHORT, 1, (-1,)),
            ("status.storage.topic", KeyType.STRING, None, ()),
            ("status.storage.partitions", KeyType.INT, 1, (-1,)),
            ("status.storage.replication.factor", KeyType.SHORT, 1, (-1,)),
        )
    ),
    *(
        _idle_storage(name=name, type=KeyType.LONG, low=0, doc="Timing of Kafka Connect's workers.")
        for name in (
            "task.shutdown.graceful.timeout.ms",
            "worker.sync.timeout.ms",
            "worker.unsync.backoff.ms",
        )
    ),
    _idle(
        name="exactly.once.source.support",
        type=KeyType.STRING,
        default="disabled",
        choices=("disabled", "enabled", "preparing"),
        any_case=True,
        doc="MM2's exactly once; kmirror has its own, on unless `kmirror.exactly.once=false`.",
    ),
    *(
        _idle(name=name, type=KeyType.LONG, low=0, doc="Timing of Kafka Connect's workers.")
        for name in (
            "heartbeat.interval.ms",
            "inter.worker.key.ttl.ms",
            "offset.flush.interval.ms",
            "offset.flush.timeout.ms",
            "rebalance.timeout.ms",
            "scheduled.rebalance.max.delay.ms",
            "session.timeout.ms",
        )
    ),
    *(
        _idle(name=name, type=KeyType.BOOLEAN, doc="Of Kafka Connect's workers.")
        for name in ("topic.creation.enable", "topic.tracking.allow.reset", "topic.tracking.enable")
    ),
    *(
        _idle(name=name, type=KeyType.STRING, doc="Of Kafka Connect's workers.")
        for name in (
            "admin.listeners",
            "connect.protocol",
            "connector.client.config.override.policy",
            "group.id",
            "inter.worker.key.generation.algorithm",
            "inter.worker.key.size",
            "inter.worker.signature.algorithm",
            "inter.worker.verification.algorithms",
            "plugin.discovery",
            "plugin.path",
            "rest.extension.classes",
        )
    ),
)

CONVERTER_KEYS = tuple(
    Key(
        name=name,
        type=KeyType.CLASS,
        scope=Scope.EVERYWHERE,
        default=BYTES_CONVERTER,
        active=False,
        doc="Bytes are always copied unchanged, as ByteArrayConverter does.",
    )
    for name in ("key.converter", "value.converter", "header.converter")
)

CONNECTOR_KEYS = (
    _idle_flow(name="connector.class", type=KeyType.CLASS, doc="Set by the driver."),
    Key(
        name="config.action.reload",
        type=KeyType.STRING,
        scope=Scope.FLOW,
        default="none",
        choices=("none", "restart"),
        mm2_default="restart, and only where a config provider says when a value ends",
        why="Whoever saves a file half-way does not mean it yet.",
        doc="`restart`: the driver looks at the file, and at files that config providers name, "
        "and [reloads](reload.md) by itself when one has changed.",
    ),
    _idle_flow(name="tasks.max.enforce", type=KeyType.BOOLEAN, doc="Of Kafka Connect."),
    _idle_flow(name="errors.log.enable", type=KeyType.BOOLEAN, doc="Errors of transforms."),
    _idle_flow(
        name="errors.log.include.messages", type=KeyType.BOOLEAN, doc="Errors of transforms."
    ),
    _idle_flow(name="errors.retry.timeout", type=KeyType.LONG, doc="Errors of transforms."),
    _idle_flow(name="errors.retry.delay.max.ms", type=KeyType.LONG, doc="Errors of transforms."),
    _idle_flow(
        name="errors.tolerance",
        type=KeyType.STRING,
        choices=("none", "all"),
        doc="Errors of transforms.",
    ),
    Key(
        name="transforms",
        type=KeyType.LIST,
        scope=Scope.FLOW,
        default=(),
        doc="Connect's transforms of records, by name. Those that are exact on bytes are taken, "
        "the others refused; see [transforms](connectors.md#transforms).",
    ),
    Key(
        name="predicates",
        type=KeyType.LIST,
        scope=Scope.FLOW,
        default=(),
        doc="Names of predicates for them.",
    ),
    _idle_only(
        name="exactly.once.support",
        type=KeyType.STRING,
        choices=("required", "requested"),
        any_case=True,
        doc="See `kmirror.exactly.once`.",
    ),
    _idle_only(
        name="transaction.boundary",
        type=KeyType.STRING,
        choices=("poll", "interval", "connector"),
        any_case=True,
        doc="See `kmirror.commit.interval.ms`.",
    ),
    _idle_only(
        name="transaction.boundary.interval.ms",
        type=KeyType.LONG,
        low=0,
        doc="See `kmirror.commit.interval.ms`.",
    ),
    Key(
        name="offsets.storage.topic",
        type=KeyType.STRING,
        scope=Scope.FLOW_ONLY,
        doc="A connector's own topic of positions, on the target; `offset.storage.topic` has them, "
        "too. kmirror begins where it says, and writes there so that Connect can take back.",
    ),
)
