"""Measures what lies between the mirror and a flow's clusters. Nothing is written anywhere."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.coordinator_topics import GROUPS_TOPIC, may_ask
from kmirror.admin.sampler import Sample, Sampler
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.discovery import coverage_of_source
from kmirror.model import TopicPartition
from kmirror.plans.snapshot import TopicState
from kmirror.tune.link import Link, Measured

ROUND_TRIPS = 11
ROUND_TRIPS_S_MAX = 5.0
SAMPLED_PARTITIONS_MAX = 32
# Small answers first: over a slow link a large one would not come within the time.
ANSWERS_BYTES = (64 * 1024, 1024 * 1024, 16 * 1024 * 1024)
_ANSWERS_READ = 8  # of each size, unless time is up
_MEASURABLE_BYTES = 512 * 1024  # less than that says nothing about a rate...
_TELLING_S = 0.5  # ... unless it took so long
_BATCHES_S_MAX = 2.0
_TAIL_RECORDS = 200_000  # the newest ones: brokers have them at hand


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSurvey:
    """
    What was found.

    Args:
        measured: The numbers.
        remarks: What could not be measured, and why.
    """

    measured: Measured
    remarks: tuple[str, ...]


@dataclass(slots=True)
class _Findings:
    rate_bytes_s: float | None = None
    samples: list[Sample] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def survey_link(
    config: FlowConfig,
    clients: FlowClients,
    clock: Clock,
    *,
    seconds_max: float,
    tell: Callable[[str], None],
) -> LinkSurvey:
    """
    Measure a flow's links: round trips to both clusters, the rate and the records of the source.

    Args:
        config: The flow.
        clients: Its clients.
        clock: Where time comes from.
        seconds_max: How long to read from the source.
        tell: Is told what is being done.

    Raises:
        ClusterError: A cluster does not answer, or refuses.
    """
    flow = config.flow
    tell(f"round trips to {flow.source}")
    source_ms = round_trip_ms(clients.source, clock)
    tell(f"round trips to {flow.target}")
    target_ms = round_trip_ms(clients.target, clock)
    tell(f"topics of {flow.source}")
    topics = clients.source.topics()
    partitions = _partitions(config, topics)
    found = _Findings()
    found.remarks += coverage_of_source(config, topics).words
    batches = None

    def open_sampler(answer_bytes: int | None) -> Sampler:
        return Sampler(
            clients.source_rdkafka, cluster=flow.source, clock=clock, answer_bytes=answer_bytes
        )

    if not partitions:
        pass  # said already
    elif not may_ask(clients.source, GROUPS_TOPIC):
        found.remarks.append(
            f"{flow.source} was not read: it never had a consumer, and the first one makes "
            f"{GROUPS_TOPIC}"
        )
    elif not (starts := _starts(clients.source, partitions)):
        found.remarks.append("there are no records to read")
    else:
        tell(f"records of {flow.source}, for {seconds_max:.0f} s at most")
        _read_rates(open_sampler, starts, found, seconds_max)
        tell(f"record batches of {flow.source}")
        batches = _read_batches(open_sampler, starts)
    return LinkSurvey(
        measured=_measured(found, batches, source_ms, target_ms, len(partitions)),
        remarks=tuple(found.remarks),
    )


def round_trip_ms(admin: ClusterAdmin, clock: Clock) -> float:
    """
    Return the median time of a small request, in milliseconds.

    Args:
        admin: The cluster's control plane.
        clock: Where time comes from.
    """
    admin.describe()  # Connects, which is several round trips.
    took_ms: list[float] = []
    deadline_s = clock.monotonic_s() + ROUND_TRIPS_S_MAX
    while len(took_ms) < ROUND_TRIPS and (not took_ms or clock.monotonic_s() < deadline_s):
        began_s = clock.monotonic_s()
        admin.describe()
        took_ms.append(1000 * (clock.monotonic_s() - began_s))
    return statistics.median(took_ms)


def _partitions(config: FlowConfig, topics: Mapping[str, TopicState]) -> list[TopicPartition]:
    selection = config.topic_selection()
    return [
        TopicPartition(topic.name, at)
        for topic in topics.values()
        if selection.selects(topic.name)
        for at in range(topic.partitions)
    ]


def _starts(source: ClusterAdmin, partitions: list[TopicPartition]) -> dict[TopicPartition, int]:
    """Return where the newest records of the fullest partitions begin, the fullest one first."""
    begins = source.offsets(partitions, "earliest", partial=True)
    ends = source.offsets(partitions, partial=True)
    held = {at: ends[at] - begins[at] for at in partitions if at in begins and at in ends}
    fullest = sorted((at for at in held if held[at] > 0), key=lambda at: (-held[at], at))
    return {
        at: max(begins[at], ends[at] - _TAIL_RECORDS) for at in fullest[:SAMPLED_PARTITIONS_MAX]
    }


def _read_rates(
    open_sampler: Callable[[int | None], Sampler],
    starts: Mapping[TopicPartition, int],
    found: _Findings,
    seconds_max: float,
) -> None:
    """Read with larger and larger responses, as long as they arrive fast."""
    share_s = seconds_max / len(ANSWERS_BYTES)
    for answer_bytes in ANSWERS_BYTES:
        with open_sampler(answer_bytes) as sampler:
            sample = sampler.read(
                starts, bytes_max=_ANSWERS_READ * answer_bytes, seconds_max=share_s
            )
        found.samples.append(sample)
        if _is_telling(sample):
            found.rate_bytes_s = max(found.rate_bytes_s or 0.0, sample.wire_bytes_s or 0.0)
        if sample.complete or sample.seconds > share_s / 2:
            break
    if found.rate_bytes_s is None:
        found.remarks.append("too few records to tell the rate of the link")


def _is_telling(sample: Sample) -> bool:
    enough = sample.handed_bytes >= _MEASURABLE_BYTES
    return sample.seconds > 0 and (enough or (sample.seconds >= _TELLING_S and not sample.complete))


def _read_batches(
    open_sampler: Callable[[int | None], Sampler], starts: Mapping[TopicPartition, int]
) -> Sample:
    """Read the fullest partition with one batch in each answer."""
    fullest, start = next(iter(starts.items()))
    with open_sampler(None) as sampler:
        return sampler.read(
            {fullest: start}, bytes_max=ANSWERS_BYTES[1], seconds_max=_BATCHES_S_MAX
        )


def _measured(
    found: _Findings,
    batches: Sample | None,
    source_ms: float,
    target_ms: float,
    partitions: int,
) -> Measured:
    records = sum(sample.counted.records for sample in found.samples)
    wire = sum(sample.counted.wire_bytes for sample in found.samples)
    clear = sum(sample.counted.clear_bytes for sample in found.samples)
    largest = max((sample.largest_bytes for sample in found.samples), default=0)
    # The answer that says "nothing more" holds no batch.
    answers = 0 if batches is None else batches.counted.answers - batches.complete
    known = batches is not None and answers > 0 and batches.counted.records > 0
    return Measured(
        source=Link(rtt_ms=source_ms, bytes_per_s=found.rate_bytes_s),
        target=Link(rtt_ms=target_ms),
        record_bytes=round(wire / records) if records else None,
        record_bytes_max=largest or None,
        batch_bytes=round(batches.counted.wire_bytes / answers) if batches and known else None,
        batch_records=batches.counted.records / answers if batches and known else None,
        packed=wire / clear if clear else None,
        partitions=partitions or None,
    )
