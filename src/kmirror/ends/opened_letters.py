"""Opens what reads dead letters of a flow, and writes them to the topics that did not take them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.control.dead_letters import DeadLetters
from kmirror.control.replays import Replays
from kmirror.ends.clients import FlowClients, open_clients


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedLetters:
    """
    What is open.

    Args:
        letters: Reads them.
        replays: Writes them.
        clients: The flow's clients.
    """

    letters: DeadLetters
    replays: Replays
    clients: FlowClients


@contextmanager
def open_letters(config: FlowConfig, clock: Clock) -> Iterator[OpenedLetters]:
    """
    Open dead letters of a flow, until the context ends.

    Args:
        config: The flow.
        clock: Where time comes from.

    Raises:
        ClusterError: A cluster did not answer, or refused.
    """
    clients = open_clients(config, clock)
    try:
        with ExitStack() as stack:
            source, target = (
                stack.enter_context(
                    RecordReader(
                        rdkafka | {"check.crcs": True},
                        cluster=f"cluster {alias}",
                        timeout_s=config.admin_timeout_s,
                        clock=clock,
                    )
                )
                for alias, rdkafka in (
                    (config.flow.source, dict(clients.source_rdkafka)),
                    (config.flow.target, dict(clients.target_rdkafka)),
                )
            )
            letters = DeadLetters(config, clients.target, target)
            yield OpenedLetters(
                letters=letters,
                replays=Replays(
                    config,
                    letters,
                    source=clients.source,
                    target=clients.target,
                    source_reader=source,
                    target_rdkafka=clients.target_rdkafka,
                    clock=clock,
                ),
                clients=clients,
            )
    finally:
        clients.close()
