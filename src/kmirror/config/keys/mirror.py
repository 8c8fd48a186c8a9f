"""The keys of MirrorMaker 2's three connectors and of its driver."""

from __future__ import annotations

from functools import partial

from kmirror.config.checks import (
    check_not_empty,
    check_topic_text,
    one_of_classes,
)
from kmirror.config.keys.flow_key import (
    flow_flag,
    flow_key,
    flow_regexes,
    flow_replicas,
    flow_seconds,
)
from kmirror.config.keys.key import Key, KeyType, Scope
from kmirror.policy.filters import (
    CONFIG_PROPERTIES_EXCLUDE_DEFAULT,
    TOPICS_DEFAULT,
    TOPICS_EXCLUDE_DEFAULT,
)

DEFAULT_POLICY = "org.apache.kafka.connect.mirror.DefaultReplicationPolicy"
IDENTITY_POLICY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
_TOPIC_FILTER = "org.apache.kafka.connect.mirror.DefaultTopicFilter"
_PROPERTY_FILTER = "org.apache.kafka.connect.mirror.DefaultConfigPropertyFilter"

_driver = partial(Key, scope=Scope.DRIVER)
_idle_flag = partial(flow_flag, active=False)

DRIVER_KEYS = (
    _driver(
        name="clusters",
        type=KeyType.LIST,
        check=check_not_empty,
        doc="The aliases of all clusters.",
    ),
    _driver(
        name="config.providers", type=KeyType.LIST, default=(), doc="Names of config providers."
    ),
    _driver(
        name="dedicated.mode.enable.internal.rest",
        type=KeyType.BOOLEAN,
        default=False,
        doc="Lets the nodes of an MM2 cluster talk to each other. kmirror's need no such server: "
        "`true` means `kmirror.nodes = several`, unless the file says otherwise.",
    ),
    _driver(
        name="listeners", type=KeyType.LIST, active=False, doc="Listeners of the internal REST API."
    ),
    _driver(
        name="rest.advertised.host.name", type=KeyType.STRING, active=False, doc="Internal REST."
    ),
    _driver(
        name="rest.advertised.port",
        type=KeyType.INT,
        low=1,
        high=65535,
        active=False,
        doc="Internal REST.",
    ),
    _driver(
        name="rest.advertised.listener", type=KeyType.STRING, active=False, doc="Internal REST."
    ),
    _driver(
        name="access.control.allow.origin", type=KeyType.STRING, active=False, doc="REST CORS."
    ),
    _driver(
        name="access.control.allow.methods", type=KeyType.STRING, active=False, doc="REST CORS."
    ),
    _driver(
        name="response.http.headers.config", type=KeyType.STRING, active=False, doc="REST headers."
    ),
    _driver(
        name="ssl.client.auth", type=KeyType.STRING, active=False, doc="Internal REST over TLS."
    ),
)

TOPIC_KEYS = (
    flow_flag(name="enabled", default=False, doc="Whether the flow runs."),
    flow_regexes(
        name="topics", default=TOPICS_DEFAULT, doc="Topics to mirror; a regex matches whole names."
    ),
    flow_regexes(
        name="topics.exclude",
        default=TOPICS_EXCLUDE_DEFAULT,
        doc="Topics not to mirror; wins over `topics`. A value replaces the default.",
    ),
    flow_regexes(
        name="config.properties.exclude",
        default=CONFIG_PROPERTIES_EXCLUDE_DEFAULT,
        doc="Topic settings that copies do not get, and that stay there as they are.",
    ),
    Key(
        name="use.defaults.from",
        type=KeyType.STRING,
        default="target",
        scope=Scope.FLOW_ONLY,
        doc="`source`: copies get the source's default settings; otherwise the target's.",
    ),
    flow_replicas(
        name="replication.factor",
        type=KeyType.INT,
        default=2,
        high=32767,
        doc="Replication factor of new remote topics; -1 means the brokers' default.",
    ),
    flow_flag(
        name="refresh.topics.enabled", default=True, doc="Look for new topics and partitions."
    ),
    flow_seconds(
        name="refresh.topics.interval.seconds",
        default=5,
        high=86_400,
        mm2_default="600",
        why="A new topic is copied within seconds instead of minutes; one request is cheap.",
        doc="How often to look for new topics and partitions; -1 means never. By default it is "
        "done less often where a look takes long, as among thousands of topics, but once a minute.",
    ),
    flow_flag(
        name="heartbeats.replication.enabled",
        default=True,
        doc="Copy heartbeats topics whatever `topics` says (KIP-1089).",
    ),
    flow_key(
        name="admin.timeout.ms",
        type=KeyType.LONG,
        default=60_000,
        low=1,
        high=3_600_000,
        doc="Time-out of each administrative step. If the file sets it, it is also the time-out "
        "of each request to a cluster, otherwise 10 s.",
    ),
    flow_key(
        name="tasks.max",
        type=KeyType.INT,
        default=1,
        low=1,
        doc="The number of slots, if it is above 1 and `kmirror.slots` is absent.",
    ),
    flow_key(
        name="name", type=KeyType.STRING, doc="The connector's name, part of MM2's positions."
    ),
    flow_key(name="source.cluster.alias", type=KeyType.STRING, doc="Taken from the flow."),
    flow_key(name="target.cluster.alias", type=KeyType.STRING, doc="Taken from the flow."),
)

POLICY_KEYS = (
    flow_key(
        name="replication.policy.class",
        type=KeyType.CLASS,
        default=DEFAULT_POLICY,
        check=one_of_classes(DEFAULT_POLICY, IDENTITY_POLICY),
        doc="Names remote topics.",
    ),
    flow_key(
        name="replication.policy.separator",
        type=KeyType.STRING,
        default=".",
        check=check_topic_text,
        doc="Separates alias and topic in the names of remote topics.",
    ),
    flow_flag(
        name="replication.policy.internal.topic.separator.enabled",
        default=True,
        doc="`false`: internal topics keep `.`, whatever the separator is (KIP-949).",
    ),
    flow_key(
        name="topic.filter.class",
        type=KeyType.CLASS,
        default=_TOPIC_FILTER,
        check=one_of_classes(_TOPIC_FILTER),
        doc="The filter that reads `topics` and `topics.exclude`.",
    ),
    flow_key(
        name="config.property.filter.class",
        type=KeyType.CLASS,
        default=_PROPERTY_FILTER,
        check=one_of_classes(_PROPERTY_FILTER),
        doc="The filter that reads `config.properties.exclude`.",
    ),
    flow_key(name="forwarding.admin.class", type=KeyType.CLASS, active=False, doc="KIP-787."),
)

PARITY_KEYS = (
    flow_flag(
        name="sync.topic.configs.enabled",
        default=True,
        doc="Keep the settings of topics equal that are there on both sides, see "
        "[parity](parity.md).",
    ),
    flow_seconds(
        name="sync.topic.configs.interval.seconds",
        default=600,
        doc="How often, from the start on; -1 means never.",
    ),
    flow_flag(
        name="sync.topic.acls.enabled",
        default=True,
        doc="Give copies the ACLs of their topics, see [parity](parity.md). If a right for that is "
        "missing, it is a failure only where the file itself says `true`.",
    ),
    flow_seconds(
        name="sync.topic.acls.interval.seconds",
        default=600,
        doc="How often, from the start on; -1 means never.",
    ),
    flow_key(
        name="metric.names.formats",
        type=KeyType.LIST,
        default=("legacy",),
        choices=("legacy", "new"),
        active=False,
        doc="Names of the JMX metrics (KIP-1280).",
    ),
    flow_key(
        name="metric.reporters", type=KeyType.LIST, active=False, doc="Java metric reporters."
    ),
    flow_key(
        name="consumer.poll.timeout.ms",
        type=KeyType.LONG,
        default=1000,
        low=0,
        active=False,
        doc="How long MM2's tasks wait for records; kmirror hands every record on at once.",
    ),
)

OLD_KEYS = (
    flow_regexes(
        name="topics.blacklist", replaced_by="topics.exclude", doc="Removed in Kafka 4.0."
    ),
    flow_regexes(
        name="groups.blacklist",
        replaced_by="groups.exclude",
        doc="Removed in Kafka 4.0.",
    ),
    flow_regexes(
        name="config.properties.blacklist",
        replaced_by="config.properties.exclude",
        doc="Removed in Kafka 4.0.",
    ),
    flow_key(
        name="use.incremental.alter.configs",
        type=KeyType.STRING,
        choices=("requested", "required", "never"),
        active=False,
        doc="Removed in Kafka 4.0, where it is always `required`.",
    ),
    _idle_flag(
        name="add.source.alias.to.metrics", doc="Removed in Kafka 4.0, where it is always on."
    ),
    _idle_flag(name="auto.include.jmx.reporter", doc="Removed in Kafka 4.0."),
)
