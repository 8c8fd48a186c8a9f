"""A plan file's contents, with something in each field."""

from __future__ import annotations

from dataclasses import replace

from kmirror.config.client_properties import ClientProperties
from kmirror.pipeline.plan_file import FlowPlan, Share, SlotWork


def _share(until: int | None) -> Share:
    return Share(
        topic="t",
        partition=3,
        target="A.t",
        position="A.t",
        topic_id="id",
        target_id="tid",
        until=until,
        poison="dlq",
    )


def _slot(number: int, *shares: Share) -> SlotWork:
    name = f"kmirror-A-B-{number}"
    return SlotWork(transactional_ids=(name, f"{name}-b"), shares=shares)


PLAN = FlowPlan(
    flow="A->B",
    generation=7,
    version=2,
    driver="d",
    group="__kmirror-A-B",
    owner_topic="mm2-offsets.A.internal",
    offset_map_topic="__kmirror-offsets-A-B",
    dlq_topic="kmirror-dlq.A",
    whole_batches=True,
    exactly_once=False,
    commit_interval_ms=100,
    commit_bytes_max=1,
    connections_max=4,
    consumer=ClientProperties({"client.id": "c"}),
    producer=ClientProperties({"linger.ms": "5"}),
    admin=ClientProperties({"retries": "1"}),
    slots=(_slot(0, _share(5), _share(None)), _slot(1)),
)
IDLE = replace(PLAN, slots=(SlotWork(transactional_ids=(), shares=()),))
"""A plan that opens nothing and copies nothing."""
