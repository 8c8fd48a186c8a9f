"""What the file says of how far behind a flow may be."""

from __future__ import annotations

from kmirror.config.settings import Settings
from kmirror.policy.lag_verdicts import Slo


def build_slo(settings: Settings) -> Slo:
    """Read what is wanted of a flow."""
    return Slo(
        lag_s=settings.number("kmirror.slo.lag.seconds"),
        rpo_s=settings.number("kmirror.slo.rpo.seconds"),
    )
