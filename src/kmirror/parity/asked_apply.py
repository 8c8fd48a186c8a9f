"""The whole plan for a flow's target, made and done at once."""

from __future__ import annotations

from contextlib import ExitStack

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.created_acls import open_created_acls
from kmirror.ends.log_starts import apply_log_starts, survey_log_starts
from kmirror.parity.deletions import do_deletions, look_for_deletions
from kmirror.parity.flow_plan import FlowOutcome, apply_flow, asked_again, plan_flow


def apply_plan(config: FlowConfig, clients: FlowClients, clock: Clock, by: str) -> FlowOutcome:
    """
    Do what `ask_plan` says now; repeat it at will: what is equal is left alone.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
        by: Who wants it.

    Raises:
        ClusterError: One of the clusters does not answer, or refuses.
    """
    deletions = look_for_deletions(config, clients, clock, by)
    with ExitStack() as opened:
        memory = open_created_acls(opened, config, clients, clock)
        planned = plan_flow(
            config,
            clients.source,
            clients.target,
            deletions=deletions,
            log_starts=survey_log_starts(config, clients, clock).plan,
            memory=memory,
            asks=False,
        )
        return apply_flow(
            clients.target,
            asked_again(planned, config, clients, memory, clock),
            memory,
            deletions=do_deletions(config, clients, deletions, clock),
            log_starts=apply_log_starts(clients, planned.log_starts),
        )
