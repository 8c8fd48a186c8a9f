"""What the settings of connectors, transforms and converters are for, in kmirror's words."""

from __future__ import annotations

import re

from kmirror.config.keys.table import KEYS

_LINK = re.compile(r"\[([^]]+)\]\([^)]*\)")
_CONVERTER = (
    "How Connect writes the {} of records. Copies are made with ByteArrayConverter only, so the "
    "connector or its worker has to name it."
)
_VERSION = "Which version of the {} to use; there is only one here."

# Where the driver's file has no such key, or means less by it than a connector does.
_CONNECTOR = {
    "name": "The connector's name: unique in its group of workers, and part of its positions.",
    "connector.class": "MirrorSourceConnector copies records, MirrorCheckpointConnector follows "
    "consumer groups, MirrorHeartbeatConnector writes heartbeats.",
    "connector.plugin.version": _VERSION.format("connector"),
    "tasks.max": "How many tasks may copy side by side; above 1, as many slots as this.",
    "tasks.max.enforce": "Whether more tasks than tasks.max are an error. There are never more.",
    "key.converter": _CONVERTER.format("keys"),
    "value.converter": _CONVERTER.format("values"),
    "header.converter": _CONVERTER.format("headers"),
    "key.converter.plugin.version": _VERSION.format("key converter"),
    "value.converter.plugin.version": _VERSION.format("value converter"),
    "header.converter.plugin.version": _VERSION.format("header converter"),
    "transforms": "Names of transforms, in the order in which they change a record. Those that are "
    "exact on bytes become Spark SQL; the others are refused.",
    "predicates": "Names of predicates, which say to which records a transform is applied.",
    "config.action.reload": "What happens when a value that a config provider has given changes.",
    "errors.retry.timeout": "How long Connect tries an operation of a transform again, in ms.",
    "errors.retry.delay.max.ms": "The longest pause between two such attempts, in ms.",
    "errors.tolerance": "Whether Connect leaves out records that a transform fails at.",
    "errors.log.enable": "Whether Connect logs such failures even if it tolerates them.",
    "errors.log.include.messages": "Whether Connect logs the records that it failed at.",
    "enabled": "Whether the connector does anything. The heartbeat connector never looks at it.",
    "source.cluster.alias": "What the source is called; part of the names of copies.",
    "target.cluster.alias": "What the target is called.",
    "forwarding.admin.class": "A Java class that administers clusters in MirrorMaker 2's stead.",
    "replication.policy.class": "How copies are named: DefaultReplicationPolicy puts the source's "
    "alias before a topic's name, IdentityReplicationPolicy keeps it.",
    "metric.reporters": "Java classes that report metrics. None are loaded here.",
    "config.providers": "Names of config providers. Only those of the worker's file are used.",
    "topic.creation.groups": "Names of groups of topics that Connect would create with settings "
    "of their own. MirrorMaker 2's connectors create their topics themselves.",
    "exactly.once.support": "`required` refuses the connector unless its worker has exactly-once "
    "support. kmirror copies exactly once anyway; see kmirror.exactly.once.",
    "transaction.boundary": "When Connect commits: after each poll, or at an interval. kmirror "
    "commits by kmirror.commit.interval.ms.",
    "offsets.storage.topic": "A topic for this connector's positions alone.",
}
_PLUGINS = {
    "DropHeaders headers": "Keys of the headers that records lose.",
    "RegexRouter regex": "A Java regex for the whole name of the target topic.",
    "RegexRouter replacement": "What a name that matches becomes; $1 is the regex's first group.",
    "TimestampRouter topic.format": "The new name: ${topic} is the old one, ${timestamp} the "
    "record's time.",
    "TimestampRouter timestamp.format": "How a time is written, as in java.text.SimpleDateFormat.",
    "HasHeaderKey name": "The key of the header that a record has to have.",
    "TopicNameMatches pattern": "A Java regex for the whole name of the target topic.",
    "ByteArrayConverter converter.type": "Whether it converts keys, values or headers.",
    "predicate": "The predicate that says to which records the transform is applied.",
    "negate": "Apply it to the records for which the predicate is false.",
}


def connector_documentation(name: str) -> str:
    """Return what a connector's setting is for."""
    if name in _CONNECTOR:
        return _CONNECTOR[name]
    key = KEYS.get(name)
    return "" if key is None else _LINK.sub(r"\1", key.doc)


def plugin_documentation(class_name: str, name: str) -> str:
    """Return what a setting of a transform, predicate or converter is for."""
    simple = class_name.rpartition(".")[2].partition("$")[0]
    words = _PLUGINS.get(f"{simple} {name}") or _PLUGINS.get(name)
    return words or f"Of Connect's {simple}, which needs records with fields."


def producer_documentation(name: str) -> str:
    """Return what a setting of the producer of records is for."""
    return f"{name} of the producer that writes the copies, as in Kafka's Java clients."
