"""The keys of a flow's canary."""

from __future__ import annotations

from kmirror.config.keys.flow_key import flow_flag, flow_key
from kmirror.config.keys.key import KeyType

CANARY_KEYS = (
    flow_flag(
        name="kmirror.canary.enabled",
        default=False,
        doc="Write records on the source and wait for them on the target, as long as the driver "
        "runs: loss, duplicates, order and latency of the whole way; see [canary](canary.md).",
    ),
    flow_key(
        name="kmirror.canary.interval.ms",
        type=KeyType.INT,
        default=5_000,
        low=10,
        high=3_600_000,
        doc="Time between two records of the canary in a partition.",
    ),
    flow_key(
        name="kmirror.canary.overdue.seconds",
        type=KeyType.INT,
        default=30,
        low=1,
        high=86_400,
        doc="A canary's record that has not arrived after so long is overdue.",
    ),
)
