"""The lanes' desk (`io.kmirror.Desk`): reports come in, orders go out."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from kmirror.clock import Clock
from kmirror.model import ClientError, TopicPartition
from kmirror.pipeline.figures import (
    LaneFigures,
    SparkFigures,
    lane_figures,
    spark_figures,
)
from kmirror.pipeline.java_errors import client_error
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.packing import REASONS
from kmirror.plans.parking import ParkCause, ParkCode
from kmirror.policy.poison import Poison
from kmirror.wire.offset_runs import Run

# An executor says every 5 s what its JVM uses.
_SILENT_MS_MAX = 30_000
# What is handed in is there in milliseconds, but for a JVM that collects garbage.
_JVM_S_MAX = 6.0
# Spark's id of the executor that is the driver itself (`SparkContext.DRIVER_IDENTIFIER`).
_OF_DRIVER = "driver"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedRange:
    """
    What was committed of a partition since the lane's last report.

    Args:
        start, end: The range, in source offsets.
        runs: What of it is on the target.
    """

    start: int
    end: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """
    A record, or a damaged batch, that the copy has gone on without.

    Args:
        cause: Why, and at which offset.
        reason: Why, for programs: `too_large` and so on.
        end: The source offset behind it.
        bytes: Of it.
        poison: What became of it: `SKIP` or `DLQ`.
        letter: Its offset in the topic for dead letters; `None` if that does not have it.
    """

    cause: ParkCause
    reason: str
    end: int
    bytes: int
    poison: Poison
    letter: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionReport:
    """
    How far one source partition is copied.

    Args:
        source: The source partition.
        target: The target topic.
        position: The next source offset to copy, committed.
        next_target: The next target offset, as far as this process knows; 0 when it does not.
        records: Records copied by the lane that reports, since it was opened.
        bytes: Of those, as they lie in the source's batches.
        whole_records: How many of them travelled in the batches they were fetched in.
        unpacked: Why others did not, lately; empty when all did.
        copied: Where it went; `None` when nothing was committed.
        left_out: What was given up; after trouble on the way it may come twice.
        parked: Why it stands still; `None` when it does not.
        copied_ms: The timestamp of the newest record that was copied, or more exactly of the batch
            that it was in; -1 when the lane has copied none.
        age_ms: How old that was when it was fetched; -1 when not known.
        latency_ms: How old it was when it was committed; -1 when not known.
    """

    source: TopicPartition
    target: str
    position: int
    next_target: int
    records: int
    bytes: int
    whole_records: int = 0
    unpacked: str = ""
    copied: CopiedRange | None = None
    left_out: tuple[LeftOut, ...] = ()
    parked: ParkCause | None = None
    copied_ms: int = -1
    age_ms: int = -1
    latency_ms: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class LanePlace:
    """
    Where a lane runs.

    Args:
        executor: Spark's id of its executor; empty where executors are threads of the driver.
        host: That of the executor, as Spark names it.
    """

    executor: str
    host: str

    @classmethod
    def of(cls, location: str) -> LanePlace | None:
        """
        Read a task location of Spark's; `None` where there is none.

        Args:
            location: `executor_HOST_ID`, or nothing.
        """
        host, _, executor = location.removeprefix("executor_").rpartition("_")
        if not host:
            return None
        return cls(executor="" if executor == _OF_DRIVER else executor, host=host)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneReport:
    """
    What one lane did since its last report; after trouble on the way it may come twice.

    Args:
        flow: `S->T`.
        slot: The lane's slot.
        generation: The flow's generation the lane works for.
        last_commit_ms: Wall time of the last commit, milliseconds; 0 before the first.
        last_failure: Why the last transaction was lost; `None` after a commit.
        partitions: Those that changed.
        figures: What it did with its time; once a second.
        place: Where it runs; `None` while its executor does not know.
    """

    flow: str
    slot: int
    generation: int
    last_commit_ms: int
    last_failure: ClientError | None
    partitions: tuple[PartitionReport, ...]
    figures: LaneFigures | None = None
    place: LanePlace | None = None


class FaultCode(Enum):
    """Why a lane gave up (`io.kmirror.driver.FaultCode`)."""

    FENCED = "fenced"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneFault:
    """
    A lane gave up.

    Args:
        flow: `S->T`.
        generation: The flow's generation the lane worked for.
        code: Why.
    """

    flow: str
    generation: int
    code: FaultCode


class Desk:
    """
    The driver's end of the desk, shared by all flows of the process.

    Args:
        jvm: The Spark driver's JVM.
        clock: Where time comes from.
    """

    def __init__(self, jvm: Any, clock: Clock) -> None:
        self._clock = clock
        # Since when somebody waits for what was handed in; `None` when nobody does.
        self._asked_s: float | None = None
        self._desk = jvm.io.kmirror.Desk
        # Py4J asks the JVM what a name means whenever it is used.
        self._collect = self._desk.collect
        self._lock = threading.Lock()
        self._waiting: dict[str, list[LaneReport | LaneFault]] = {}

    @calling_jvm()
    def collect(self, flow: str) -> list[LaneReport | LaneFault]:
        """Take everything handed in for *flow* since the last call."""
        with self._lock:
            self._take()
            return self._waiting.pop(flow, [])

    @calling_jvm()
    def listen(self) -> None:
        """Look what was handed in, for those that will take it; `silence` counts from here, too."""
        with self._lock:
            self._take()

    def _take(self) -> None:
        self._asked_s = self._clock.monotonic_s()
        try:
            handed_in = self._collect()
        finally:
            self._asked_s = None
        for fields in json.loads(handed_in):
            message = _decode(fields)
            self._waiting.setdefault(message.flow, []).append(message)

    def silence(self) -> str:
        """Say that the JVM owes an answer for too long; empty when it does not."""
        asked_s = self._asked_s  # another thread takes it away
        silent_s = 0.0 if asked_s is None else self._clock.monotonic_s() - asked_s
        return f"Spark's JVM: no answer for {silent_s:.0f} s" if silent_s > _JVM_S_MAX else ""

    @calling_jvm()
    def jvm(self) -> SparkFigures:
        """Return what the driver's JVM uses, and those of executors, as these said it lately."""
        return spark_figures(self._desk.jvm(), self._desk.executors(_SILENT_MS_MAX))

    @calling_jvm()
    def hand_out(self, plan: Path) -> None:
        """Have lanes take up a flow's newest plan, which lies in this file, within the batch."""
        self._desk.handOut(str(plan))

    @calling_jvm()
    def limit(self, flow: str, limits: str) -> None:
        """Let the flow's lanes read no faster than *limits* says; see `plans/limits.py`."""
        self._desk.limit(flow, limits)

    @calling_jvm()
    def planned(self, flow: str, generation: int) -> int:
        """
        Return the version of the plan that every lane of the flow has at least; 0 before its first
        batch.

        No lane holds a partition any more that is in no plan since, and what it had of it is
        committed.
        """
        return int(self._desk.planned(flow, generation))

    @calling_jvm()
    def stop(self, flow: str, generation: int) -> None:
        """Make every lane of the flow commit, end its batch and close."""
        self._desk.stop(flow, generation)

    @calling_jvm()
    def drained(self, flow: str, generation: int) -> bool:
        """Return whether the lanes have come to rest after `stop`."""
        return bool(self._desk.drained(flow, generation))


def _decode(fields: dict[str, Any]) -> LaneReport | LaneFault:
    if "fault" in fields:
        return LaneFault(
            flow=fields["flow"],
            generation=fields["generation"],
            code=FaultCode(fields["fault"]),
        )
    return LaneReport(
        flow=fields["flow"],
        slot=fields["slot"],
        generation=fields["generation"],
        last_commit_ms=fields["last_commit_ms"],
        last_failure=client_error(failure) if (failure := fields.get("last_failure")) else None,
        partitions=tuple(_partition(entry) for entry in fields["partitions"]),
        figures=lane_figures(found) if (found := fields.get("figures")) else None,
        place=LanePlace.of(fields["location"]),
    )


def _partition(entry: dict[str, Any]) -> PartitionReport:
    return PartitionReport(
        source=TopicPartition(entry["topic"], entry["partition"]),
        target=entry["target"],
        position=entry["position"],
        next_target=entry["next_target"],
        records=entry["records"],
        bytes=entry["bytes"],
        whole_records=entry["whole_records"],
        unpacked=REASONS[code] if (code := entry["unpacked"]) else "",
        copied=_copied(entry["runs"]) if "runs" in entry else None,
        left_out=tuple(_left_out(each) for each in entry.get("left_out", ())),
        parked=_cause(cause) if (cause := entry.get("parked")) else None,
        copied_ms=entry["copied_ms"],
        age_ms=entry["age_ms"],
        latency_ms=entry["latency_ms"],
    )


def _left_out(fields: dict[str, Any]) -> LeftOut:
    return LeftOut(
        cause=_cause(fields),
        reason=fields["reason"],
        end=fields["behind"],
        bytes=fields["bytes"],
        poison=Poison(fields["poison"]),
        letter=fields.get("letter"),
    )


def _cause(fields: dict[str, Any]) -> ParkCause:
    return ParkCause(
        code=ParkCode(fields["code"]),
        group=fields.get("group"),
        target=TopicPartition(fields["topic"], fields["partition"]) if "topic" in fields else None,
        offset=fields.get("offset"),
        end=fields.get("end"),
        error=client_error(fields) if "error" in fields else None,
    )


def _copied(numbers: list[int]) -> CopiedRange:
    start, end, *flat = numbers
    runs = zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    return CopiedRange(start=start, end=end, runs=tuple(Run(*run) for run in runs))
