"""How a flow changes its records, as Spark's SQL: names of target topics, and the file's own."""

from __future__ import annotations

from kmirror.config.flows import FlowConfig
from kmirror.config.provenance_sql import provenance_sql
from kmirror.config.topic_sql import first_copy_sql, literal
from kmirror.pipeline.transform import Transform


def flow_transform(config: FlowConfig) -> Transform:
    """Return how a flow changes its records."""
    target_topic = _target_topic_sql(config)
    rules = config.provenance
    return Transform(
        target_topic=target_topic,
        provenance=None if rules is None else provenance_sql(config.flow, rules, target_topic),
        where=config.where,
        left=config.transforms.where,
        select=config.changes,
    )


def _target_topic_sql(config: FlowConfig) -> str:
    """Return the replication policy as a SQL expression over the column `topic`."""
    if config.policy.merges:
        return literal(config.policy.format_remote_topic(config.flow.source, ""))
    if not config.generations:
        return first_copy_sql(config.policy, config.flow.source)
    remote_topic = config.topic_selection().remote_topic
    later = " ".join(
        f"when {literal(topic)} then {literal(remote_topic(topic))}"
        for topic, _ in config.generations
    )
    return f"case topic {later} else {first_copy_sql(config.policy, config.flow.source)} end"
