"""What the file says of the continuous audit."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditConfig:
    """
    How a flow is audited.

    Args:
        enabled: A running flow is audited, beside the copy.
        bytes_per_second: How fast each side is read; 0 for as fast as it can.
        interval_s: Time between two looks at what is new, seconds.
        window_records: How many source offsets a window has at most.
    """

    enabled: bool = False
    bytes_per_second: int = 3_000_000
    interval_s: int = 60
    window_records: int = 100_000


def build_audit(settings: Settings) -> AuditConfig:
    """Read how a flow is audited."""
    return AuditConfig(
        enabled=settings.flag("kmirror.audit.enabled"),
        bytes_per_second=settings.number("kmirror.audit.rate"),
        interval_s=settings.number("kmirror.audit.interval.seconds"),
        window_records=settings.number("kmirror.audit.window.records"),
    )
