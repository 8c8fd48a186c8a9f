"""Both ends of a flow, opened to look at what was copied: records, and the offset map."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.internal_writer import InternalWriter
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """
    Both ends of a flow, for translating.

    Args:
        source, target: Control planes.
        source_reader, target_reader: Read records as the flow does.
        target_writer: Writes to the target.
    """

    source: ClusterAdmin
    target: ClusterAdmin
    source_reader: RecordReader
    target_reader: RecordReader
    target_writer: InternalWriter


def open_ends(
    opened: ExitStack, config: FlowConfig, clients: FlowClients, *, timeout_s: float, clock: Clock
) -> Ends:
    """
    Open what a `Translator` needs.

    Args:
        opened: Closes it.
        config: The flow.
        clients: Its clients.
        timeout_s: Deadline of each read and write, seconds.
        clock: Where time comes from.
    """
    source, target = (f"cluster {alias}" for alias in (config.flow.source, config.flow.target))
    source_reader = RecordReader(
        clients.source_rdkafka,
        cluster=source,
        isolation=config.isolation_level,
        timeout_s=timeout_s,
        clock=clock,
    )
    opened.callback(source_reader.close)
    target_reader = RecordReader(
        clients.target_rdkafka, cluster=target, timeout_s=timeout_s, clock=clock
    )
    opened.callback(target_reader.close)
    target_writer = InternalWriter(
        clients.target_rdkafka, cluster=target, timeout_s=timeout_s, clock=clock
    )
    opened.callback(target_writer.close)
    return Ends(
        source=clients.source,
        target=clients.target,
        source_reader=source_reader,
        target_reader=target_reader,
        target_writer=target_writer,
    )
