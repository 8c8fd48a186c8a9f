"""One process with more and more flows, or partitions: what is measured, and what it gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from kmirror_lab.cluster.mirror import ONE_COPY

from kmirror.model import Flow

_TOPIC = "bench-scale"
_PARTITIONS = (100, 1_000, 10_000)
_SLOTS_OF_ONE = 4  # as in `bench.partitions`
_FLOWS = (1, 10, 100)
_PARTITIONS_OF_FLOW = 10
_PARTITIONS_MIN = 16


class Shape(StrEnum):
    """By what the cost is measured."""

    PARTITIONS = "partitions"
    FLOWS = "flows"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleCase:
    """
    What one process mirrors.

    Args:
        shape: By what the cost is measured.
        flows: How many it has, all into one cluster.
        partitions: Of each of them, in one topic.
        slots: Of each of them; `None` leaves that to kmirror.
    """

    shape: Shape
    flows: int
    partitions: int
    slots: int | None = None

    @property
    def label(self) -> str:
        """Its name, short."""
        return f"{self.flows}x{self.partitions}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """
    What kmirror and the brokers used for a while.

    Args:
        seconds: For how long.
        cpu_share: All of kmirror's processes, cores.
        control_cpu_share: Of that the Python process.
        brokers_cpu_share: Both brokers, cores.
        rss_bytes: The memory of all of kmirror's processes in the end.
        requests_per_s: What both brokers got, by kind.
    """

    seconds: float
    cpu_share: float
    control_cpu_share: float
    brokers_cpu_share: float
    rss_bytes: int
    requests_per_s: Mapping[str, float]

    @property
    def all_requests_per_s(self) -> float:
        """Of all kinds."""
        return sum(self.requests_per_s.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleRun:
    """
    kmirror mirrored so many flows, or partitions.

    Args:
        shape: By what the cost was measured.
        flows: How many there were.
        partitions: Of each.
        start_s: From the start until a record of each partition was committed on the target.
        threads: Of all of its processes, at rest.
        peak_rss_bytes: The most memory of them at one moment.
        rest: The cost while nothing was written.
        rate: Records a second that were written then, to all partitions in turn.
        busy: The cost meanwhile.
    """

    shape: Shape
    flows: int
    partitions: int
    start_s: float
    threads: int
    peak_rss_bytes: int
    rest: Cost
    rate: int
    busy: Cost

    @property
    def label(self) -> str:
        """Its name, short."""
        return f"{self.flows}x{self.partitions}"


def cases(shapes: Sequence[Shape], scale: float) -> tuple[ScaleCase, ...]:
    """
    Give what is measured; small parts of several may be the same, which is measured once.

    Args:
        shapes: By what.
        scale: The part of the partitions and flows that is used.
    """
    found: list[ScaleCase] = []
    if Shape.PARTITIONS in shapes:
        found += (
            ScaleCase(
                shape=Shape.PARTITIONS,
                flows=1,
                partitions=max(_PARTITIONS_MIN, int(number * scale)),
                slots=_SLOTS_OF_ONE,
            )
            for number in _PARTITIONS
        )
    if Shape.FLOWS in shapes:
        found += (
            ScaleCase(
                shape=Shape.FLOWS,
                flows=max(1, int(number * scale)),
                partitions=_PARTITIONS_OF_FLOW,
            )
            for number in _FLOWS
        )
    return tuple(dict.fromkeys(found))


def flows_of(case: ScaleCase, number: int) -> tuple[Flow, ...]:
    """Name the flows of the measurement with that *number*: aliases are new each time."""
    return tuple(Flow(f"A{number}x{flow}", f"B{number}") for flow in range(case.flows))


def file_text(
    case: ScaleCase, flows: Sequence[Flow], *, source_bootstrap: str, target_bootstrap: str
) -> str:
    """
    Write the `mm2.properties`: each flow has a source alias and a topic, all have one target.

    Args:
        case: What is measured.
        flows: Its flows.
        source_bootstrap: Where the source is.
        target_bootstrap: Where the target is.
    """
    sources = [flow.source for flow in flows]
    target = flows[0].target
    lines = [
        f"clusters = {', '.join([*sources, target])}",
        f"{target}.bootstrap.servers = {target_bootstrap}",
        *(f"{source}.bootstrap.servers = {source_bootstrap}" for source in sources),
        *(f"{flow}.enabled = true" for flow in flows),
        *(f"{flow}.topics = {topic_of(flow)}" for flow in flows),
        *(f"{key} = 1" for key in ONE_COPY),
    ]
    if case.slots is not None:
        lines += [f"{flow}.kmirror.slots = {case.slots}" for flow in flows]
    return "".join(f"{line}\n" for line in lines)


def topic_of(flow: Flow) -> str:
    """Name the topic of a flow."""
    return f"{_TOPIC}-{flow.source}"
