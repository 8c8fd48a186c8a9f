"""
The plan of a flow as the connector reads it: one JSON file, replaced as a whole.

The Java side (`io.kmirror.driver.Plan`) reads the file at the start of every batch. So a new plan
needs no new query: the file is replaced and the lanes are told to end the batch. Its records have
the same fields: one that is missing, or that they do not know, ends the query.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kmirror.config.client_properties import ClientProperties
from kmirror.pipeline.private_file import write_private
from kmirror.pipeline.tuning.table import plan_tuning


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """
    One source partition that a slot copies.

    Args:
        topic: The source topic.
        partition: The partition number, the same on both sides.
        target: The target topic.
        position: The topic whose partition of that number has the position, in the flow's group.
        topic_id: The source topic's id; empty when the source does not tell.
        target_id: The target topic's id; empty when the target does not tell.
        until: Source offset at which a bounded copy ends; `None` for a copy without end.
        poison: What becomes of a record with which it cannot go on: `park`, `skip` or `dlq`.
    """

    topic: str
    partition: int
    target: str
    position: str
    topic_id: str
    target_id: str
    until: int | None
    poison: str = "park"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotWork:
    """
    What one slot has to do.

    Args:
        transactional_ids: Of its producers, which take turns; see `wire.flow_names`. None where
            nothing is to be opened.
        shares: The source partitions that it copies, possibly none.
    """

    transactional_ids: tuple[str, ...]
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlan:
    """
    Everything the lanes of a flow need.

    Args:
        flow: `S->T`.
        generation: The start of the flow's query that owns the target; see `admin.ownership`.
        version: Grows with every plan of the process; a newer one makes the lanes yield.
        driver: Who made the plan, for people.
        group: The group on the target that holds the positions.
        owner_topic: Its partition 0 holds the owner's entry in that group.
        offset_map_topic: The topic on the target for the exact offset map; empty when not kept.
        dlq_topic: The topic on the target for what is left out and kept; empty when none is.
        whole_batches: Rows are record batches; otherwise they are records.
        exactly_once: Transactions, or idempotent writes.
        commit_interval_ms: Time between two commits at most.
        commit_bytes_max: Commit earlier when this many bytes wait.
        connections_max: Of a slot to each broker of a source that is far away.
        consumer: Java client properties for the source.
        producer: Java client properties for the target.
        admin: Java client properties for the target.
        slots: What each of them has to do.
    """

    flow: str
    generation: int
    version: int
    driver: str
    group: str
    owner_topic: str
    offset_map_topic: str
    dlq_topic: str
    whole_batches: bool
    exactly_once: bool
    commit_interval_ms: int
    commit_bytes_max: int
    connections_max: int
    consumer: ClientProperties
    producer: ClientProperties
    admin: ClientProperties
    slots: tuple[SlotWork, ...]


def write_plan(plan: FlowPlan, path: Path) -> None:
    """
    Replace the plan at *path*; it holds the clients' secrets.

    Raises:
        EnvironmentProblem: Others may write to its folder.
    """
    fields = {
        "version": plan.version,
        "settings": _settings(plan),
        "slots": [_slot(slot) for slot in plan.slots],
    }
    write_private(path, json.dumps(fields))


def _settings(plan: FlowPlan) -> Mapping[str, object]:
    return {
        "flow": plan.flow,
        "generation": plan.generation,
        "driver": plan.driver,
        "group": plan.group,
        "owner_topic": plan.owner_topic,
        "offset_map_topic": plan.offset_map_topic,
        "dlq_topic": plan.dlq_topic,
        "whole_batches": plan.whole_batches,
        "exactly_once": plan.exactly_once,
        "commit_interval_ms": plan.commit_interval_ms,
        "commit_bytes_max": plan.commit_bytes_max,
        "connections_max": plan.connections_max,
        "consumer": plan.consumer.reveal(),
        "producer": plan.producer.reveal(),
        "admin": plan.admin.reveal(),
        "tuning": plan_tuning(),
    }


def _slot(slot: SlotWork) -> Mapping[str, object]:
    return {
        "transactional_ids": slot.transactional_ids,
        "shares": [_share(share) for share in slot.shares],
    }


def _share(share: Share) -> Mapping[str, object]:
    return {
        "topic": share.topic,
        "partition": share.partition,
        "target": share.target,
        "position": share.position,
        "topic_id": share.topic_id,
        "target_id": share.target_id,
        "until": share.until,
        "poison": share.poison,
    }
