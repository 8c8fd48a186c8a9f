"""MirrorMaker 1 as advice looks at it: its two files, its command line, and its links."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.entry import Entries
from kmirror.model import Flow
from kmirror.tune.case import Case, applied_by_kmirror, is_encrypted
from kmirror.tune.link import INT_MAX, Measured
from kmirror.tune.section import CONSUMER, PRODUCER, Defaults, Section

SOURCE_FILE, TARGET_FILE, COMMAND = "consumer.", "producer.", "--"
MM1_FLOW = Flow("source", "target")
# What it sets itself where its files do not; its clients know idempotence since Kafka 3.0.
_PRODUCER = Defaults(
    mm2={
        **PRODUCER.mm2,
        "delivery.timeout.ms": str(INT_MAX),
        "enable.idempotence": "true",
        "max.in.flight.requests.per.connection": "1",
    },
    kmirror=PRODUCER.kmirror,
)
_CONSUMER = Defaults(
    mm2={
        **CONSUMER.mm2,
        "auto.offset.reset": "latest",
        "enable.auto.commit": "false",
        "partition.assignment.strategy": "RangeAssignor, CooperativeStickyAssignor",
    },
    kmirror=CONSUMER.kmirror,
)
_COMMAND = Defaults(
    mm2={
        "abort.on.send.failure": "true",
        "num.streams": "1",
        "offset.commit.interval.ms": "60000",
    },
    kmirror={},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mm1Files:
    """
    What MirrorMaker 1 is started with.

    Args:
        consumer, producer: The lines of its two files, by name; their keys begin with the role.
        command: The options of its command line, by name; their keys begin with `--`.
    """

    consumer: Entries
    producer: Entries
    command: Entries


def build_mm1_case(files: Mm1Files, measured: Measured) -> Case:
    """
    Return what advice for MirrorMaker 1 goes by.

    Args:
        files: Its files.
        measured: What is known of its surroundings.
    """
    none = Section(
        entries={},
        defaults=Defaults(mm2={}, kmirror={}),
        prefix="",
        flow_prefix="",
        shared=False,
        applied={},
    )
    return Case(
        flow=MM1_FLOW,
        producer=_section(files.producer, _PRODUCER, TARGET_FILE, "producer"),
        consumer=_section(files.consumer, _CONSUMER, SOURCE_FILE, "consumer"),
        worker=none,
        connector=_section(files.command, _COMMAND, COMMAND, ""),
        measured=measured,
        source_encrypted=is_encrypted(files.consumer),
        target_encrypted=is_encrypted(files.producer),
    )


def _section(entries: Entries, defaults: Defaults, prefix: str, role: str) -> Section:
    return Section(
        entries=entries,
        defaults=defaults,
        prefix=prefix,
        flow_prefix=prefix,
        shared=False,
        applied=applied_by_kmirror(role, entries) if role else {},
    )
