"""What the file says of a flow's canary: `kmirror.canary.*`."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.copies import PROVENANCE
from kmirror.config.entry import Findings
from kmirror.config.keys.kmirror import SELECT_COLUMNS
from kmirror.config.settings import Settings
from kmirror.config.transforms import Transforms
from kmirror.model import Flow
from kmirror.policy.selection import CANARY_PREFIX
from kmirror.wire.flow_names import joined

_LOOKS_INSIDE = ("kmirror.where", *(f"kmirror.select.{column}" for column in SELECT_COLUMNS))


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryConfig:
    """
    A canary: records that are written on the source and waited for on the target.

    Args:
        enabled: Whether the driver has one for the flow.
        interval_s: Time between two records of a partition.
        overdue_s: A record that has not arrived after so long is overdue.
    """

    enabled: bool = False
    interval_s: float = 5.0
    overdue_s: float = 30.0


def canary_topic(flow: Flow) -> str:
    """Name the topic on the source that the canary of *flow* writes to."""
    return f"{CANARY_PREFIX}{joined(flow)}"


def build_canary(settings: Settings, transforms: Transforms, findings: Findings) -> CanaryConfig:
    """
    Read what is wanted of a flow's canary.

    Args:
        settings: The flow's.
        transforms: Its transforms.
        findings: Receives what is doubtful.
    """
    # What becomes of a canary's records there, nobody knows.
    has_sql = transforms.looks_inside or any(map(settings.has, _LOOKS_INSIDE))
    looks_inside = has_sql or settings.flag(PROVENANCE)
    enabled = settings.flag("kmirror.canary.enabled")
    entry = settings.entry("kmirror.canary.enabled")
    if enabled and looks_inside and entry is not None:
        findings.doubt(
            entry, "has no effect: the flow drops or changes records, the canary's among them"
        )
    return CanaryConfig(
        enabled=enabled and not looks_inside,
        interval_s=settings.number("kmirror.canary.interval.ms") / 1000,
        overdue_s=float(settings.number("kmirror.canary.overdue.seconds")),
    )
