"""A flow as advice looks at it: its clients' settings and the links they work over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kmirror.config.entry import Entries, Findings
from kmirror.config.guards import guarded
from kmirror.config.resolve import (
    connector_properties,
    data_producer,
    end_client,
    worker_properties,
)
from kmirror.model import Flow
from kmirror.tune.link import Measured
from kmirror.tune.section import CONNECTOR, CONSUMER, PRODUCER, WORKER, Section

_ENCRYPTED = ("SSL", "SASL_SSL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """
    A flow.

    Args:
        flow: Its name.
        producer: Writes the records.
        consumer: Reads them.
        worker: Kafka Connect's worker, which runs MM2.
        connector: MM2's connectors.
        measured: What is known of links and records.
        source_encrypted, target_encrypted: Whether who reads, and who writes, asks for TLS.
    """

    flow: Flow
    producer: Section
    consumer: Section
    worker: Section
    connector: Section
    measured: Measured
    source_encrypted: bool
    target_encrypted: bool

    @property
    def transactional(self) -> bool:
        """Whether MM2 runs the flow exactly once, by the file."""
        text = self.worker.text("exactly.once.source.support") or ""
        return text.lower() == "enabled"

    @property
    def idempotent(self) -> bool:
        """Whether MM2's producer is idempotent."""
        text = self.producer.text("enable.idempotence") or ""
        return self.transactional or text.lower() == "true"


def build_case(file: Entries, flows: Sequence[Flow], flow: Flow, measured: Measured) -> Case:
    """
    Return a flow's settings, resolved as MM2 resolves them.

    Args:
        file: The file's lines.
        flows: All flows that are switched on: they share their clusters' settings.
        flow: The one to look at.
        measured: What is known of its surroundings.
    """
    connector, worker = connector_properties(file, flow), worker_properties(file, flow)
    producer = data_producer(worker, connector)
    consumer = end_client(connector, "source", "consumer")
    own = f"{flow}."
    into = sum(each.target == flow.target for each in flows) > 1
    out_of = sum(each.source == flow.source for each in flows) > 1
    return Case(
        flow=flow,
        producer=Section(
            entries=producer,
            defaults=PRODUCER,
            prefix=f"{own}producer.override." if into else f"{flow.target}.producer.",
            flow_prefix=own,
            shared=into,
            applied=applied_by_kmirror("producer", producer),
        ),
        consumer=Section(
            entries=consumer,
            defaults=CONSUMER,
            prefix=f"{own}source.consumer." if out_of else f"{flow.source}.consumer.",
            flow_prefix=own,
            shared=out_of,
            applied=applied_by_kmirror("consumer", consumer),
        ),
        worker=Section(
            entries=worker,
            defaults=WORKER,
            prefix=f"{flow.target}.",
            flow_prefix=own,
            shared=False,
            applied={},
        ),
        connector=Section(
            entries=connector,
            defaults=CONNECTOR,
            prefix=own,
            flow_prefix=own,
            shared=len(flows) > 1,
            applied={},
        ),
        measured=measured,
        source_encrypted=is_encrypted(consumer),
        target_encrypted=is_encrypted(producer),
    )


def applied_by_kmirror(role: str, entries: Entries) -> dict[str, str]:
    """
    Return what kmirror says of a client's lines that it does not obey, by their names.

    Args:
        role: `consumer` or `producer`.
        entries: The client's lines.
    """
    findings = Findings("")
    guarded(role, entries, findings)
    told = {problem.key: problem.expected for problem in findings.warnings}
    return {name: told[entry.key] for name, entry in entries.items() if entry.key in told}


def is_encrypted(entries: Entries) -> bool:
    """Whether lines of a client, or of a cluster, ask for TLS."""
    entry = entries.get("security.protocol")
    return entry is not None and entry.text.strip().upper() in _ENCRYPTED
