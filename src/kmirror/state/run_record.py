"""What a run has done, as one value: for a page, and for a file that somebody else reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from kmirror.model import Flow

FORMAT = 1
"""Of the JSON; another number is another form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSample:
    """
    A flow at a moment of its run.

    Args:
        at_ms: When, milliseconds since the epoch.
        state: Where it is in its life.
        records, bytes: Copied since the process began.
        lag_records, lag_s: Its lag; `None` while it is not known.
        p50_s, p99_s: How long records took from the first touch to their commit, since the sample
            before; `None` when none was copied.
    """

    at_ms: int
    state: str
    records: int
    bytes: int
    lag_records: int | None
    lag_s: float | None
    p50_s: float | None
    p99_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTopic:
    """
    A topic in the end.

    Args:
        topic: Its name on the source.
        partitions: How many it has.
        records, bytes: Copied by the run.
        whole_records: Of these, in the batches they were fetched in.
        lag_records: What is still to copy.
        left_out: Records that were skipped, or kept as dead letters.
    """

    topic: str
    partitions: int
    records: int
    bytes: int
    whole_records: int
    lag_records: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvent:
    """
    Something that happened.

    Args:
        at_ms: When.
        level: `INFO`, `WARNING` or `ERROR`.
        name: Its name, as in docs/events.md.
        text: The line of the log.
    """

    at_ms: int
    level: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFlow:
    """
    A flow of a run.

    Args:
        flow: Which one.
        state, words: Where it is in its life in the end, for programs and for people.
        verdict, verdict_words: How it stands against its SLO.
        latency: Percentiles of the time from the first touch to the commit, seconds.
        parked: What stands still, and why.
        samples: Over time.
        topics: Those with most records first, 1,000 at most.
        topics_more: How many more there are.
    """

    flow: Flow
    state: str
    words: str
    verdict: str
    verdict_words: str
    latency: tuple[tuple[float, float], ...]
    parked: tuple[str, ...]
    samples: tuple[RunSample, ...]
    topics: tuple[RunTopic, ...]
    topics_more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """
    A run.

    Args:
        process: Whose: `host:pid`.
        version: kmirror's.
        began_ms, at_ms: From when to when, milliseconds since the epoch.
        flows: What each of them did.
        events: The newest 1,000.
        events_before: How many more there were.
    """

    process: str
    version: str
    began_ms: int
    at_ms: int
    flows: tuple[RunFlow, ...]
    events: tuple[RunEvent, ...]
    events_before: int


def to_json(record: RunRecord) -> dict[str, Any]:
    """Give what JSON can say; `from_json` reads it."""
    return {"format": FORMAT} | asdict(record)


def from_json(fields: Mapping[str, Any]) -> RunRecord:
    """
    Read a run.

    Raises:
        KeyError, TypeError, ValueError: It is something else, or of another version.
    """
    if fields["format"] != FORMAT:
        raise ValueError(f"a run of format {fields['format']}, not {FORMAT}")
    rest = {name: value for name, value in fields.items() if name != "format"}
    return RunRecord(
        **rest
        | {
            "flows": tuple(_flow(each) for each in fields["flows"]),
            "events": tuple(RunEvent(**each) for each in fields["events"]),
        }
    )


def _flow(fields: dict[str, Any]) -> RunFlow:
    return RunFlow(
        **fields
        | {
            "flow": Flow(**fields["flow"]),
            "latency": tuple((float(part), float(value)) for part, value in fields["latency"]),
            "parked": tuple(map(str, fields["parked"])),
            "samples": tuple(RunSample(**each) for each in fields["samples"]),
            "topics": tuple(RunTopic(**each) for each in fields["topics"]),
        }
    )
