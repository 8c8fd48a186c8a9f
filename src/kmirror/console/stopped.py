"""Flows of connectors that somebody has stopped: nobody runs them, and what would."""

from __future__ import annotations

from urllib.parse import quote

from kmirror.api.flows import FlowView, Origin
from kmirror.config.connectors import ConnectorFlow

STOPPED = "STOPPED"
"""The verdict of such a flow, Connect's word."""


def stopped_view(found: ConnectorFlow) -> FlowView:
    """
    Say of a flow that it is stopped, and how to start it.

    Args:
        found: What its connectors would come to.
    """
    assert found.config is not None, "it would copy"
    words = stopped_words(found)
    return FlowView(
        name=str(found.flow),
        source=found.flow.source,
        target=found.flow.target,
        origin=Origin.DRIVER,
        state="stopped",
        words=words,
        verdict=STOPPED,
        verdict_words=words,
        slo_lag_s=found.config.slo.lag_s,
        slo_rpo_s=found.config.slo.rpo_s,
    )


def stopped_words(found: ConnectorFlow) -> str:
    """Return the same for people."""
    name = found.source or ""
    return (
        f"connector {name} is STOPPED, and nothing is copied: PUT /connectors/"
        f"{quote(name, safe='')}/resume of Connect's REST API starts it"
    )
