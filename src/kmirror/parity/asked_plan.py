"""The whole plan for a flow's target, asked of both clusters at once."""

from __future__ import annotations

from contextlib import ExitStack

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.created_acls import open_created_acls
from kmirror.ends.log_starts import survey_log_starts
from kmirror.parity.deletions import look_for_deletions
from kmirror.parity.flow_plan import FlowPlan, plan_flow


def ask_plan(config: FlowConfig, clients: FlowClients, clock: Clock, by: str) -> FlowPlan:
    """
    Compare both clusters, deletions and beginnings of logs included; nothing is changed.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
        by: Who asks.

    Raises:
        ClusterError: One of them does not answer, or refuses.
    """
    deletions = look_for_deletions(config, clients, clock, by)
    log_starts = survey_log_starts(config, clients, clock).plan
    with ExitStack() as opened:
        return plan_flow(
            config,
            clients.source,
            clients.target,
            deletions=deletions,
            log_starts=log_starts,
            memory=open_created_acls(opened, config, clients, clock),
        )
