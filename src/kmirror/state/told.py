"""What a driver tells others of its flows: the same numbers and words that it shows itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from kmirror.api.canaries import CanarySeen
from kmirror.api.codec import from_plain
from kmirror.model import Flow
from kmirror.policy.lag_times import LagExactness
from kmirror.policy.lag_verdicts import LagVerdict
from kmirror.state.canary_seen import seen_of
from kmirror.state.lags import LagStatus
from kmirror.state.observed import ObservedFlow

TOPICS_MAX = 1_000
"""Of more topics of a flow those that are the furthest behind are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldLag:
    """
    A lag.

    Args:
        records: Offsets; `None` while not known.
        seconds: The same in time.
        exactness: How the time is known.
        verdict: What it means: Burrow's word.
        trend: Where it goes.
        eta_s: In how many seconds it is gone; `None` when it does not shrink.
    """

    records: int | None
    seconds: float | None
    exactness: str
    verdict: str
    trend: str
    eta_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldFlow:
    """
    A flow, as its driver sees it.

    Args:
        flow: Which one.
        state, words: What it does, for programs and for people.
        verdict, verdict_words: How it stands against its SLO.
        lag: Its lag.
        rpo_s: How old the oldest record is that only the source has; `None` when not known.
        topics: Topics with their lags, the worst first.
        bottlenecks: For each slot what holds it up, for programs and for people.
        canary: What its canary has seen; `None` when it has none.
    """

    flow: Flow
    state: str
    words: str
    verdict: str
    verdict_words: str
    lag: ToldLag
    rpo_s: float | None
    topics: tuple[tuple[str, ToldLag], ...]
    bottlenecks: tuple[tuple[int, str, str], ...]
    canary: CanarySeen | None = None


def told(observed: ObservedFlow, now_ms: int) -> ToldFlow:
    """
    Return what is told of a flow.

    Args:
        observed: It.
        now_ms: The time, milliseconds since the epoch.
    """
    status = observed.board.status
    judgement = status.judgement(now_ms)
    worst = sorted(status.topics, key=lambda topic: (-topic.lag_records, topic.topic))
    return ToldFlow(
        flow=status.flow,
        state=status.state.value,
        words=status.words,
        verdict=judgement.verdict.value,
        verdict_words=judgement.words,
        lag=_told(status.lag, status.lag_records, status.lag_s(now_ms)),
        rpo_s=status.rpo_s_max(now_ms),
        topics=tuple(
            (topic.topic, _told(topic.lag, topic.lag_records, topic.lag.seconds))
            for topic in worst[:TOPICS_MAX]
        ),
        bottlenecks=tuple(
            (each.slot, each.bottleneck.value, each.words) for each in observed.bottlenecks()
        ),
        canary=seen_of(observed, now_ms),
    )


def _told(lag: LagStatus, records: int | None, seconds: float | None) -> ToldLag:
    return ToldLag(
        records=records,
        seconds=seconds,
        exactness=lag.exactness.value,
        verdict=lag.verdict.name,
        trend=lag.trend.value,
        eta_s=lag.eta_s,
    )


def to_json(flows: Sequence[ToldFlow]) -> list[dict[str, Any]]:
    """Give what JSON can say; `from_json` reads it."""
    return [asdict(flow) for flow in flows]


def from_json(fields: Sequence[dict[str, Any]]) -> tuple[ToldFlow, ...]:
    """
    Read what another process has told.

    Raises:
        KeyError, TypeError, ValueError: It is something else, or of another version.
    """
    return tuple(
        ToldFlow(
            **each
            | {
                "flow": Flow(**each["flow"]),
                "lag": _lag(each["lag"]),
                "topics": tuple((topic, _lag(lag)) for topic, lag in each["topics"]),
                "bottlenecks": tuple(
                    (int(n), kind, words) for n, kind, words in each["bottlenecks"]
                ),
                "canary": _canary(each.get("canary")),
            }
        )
        for each in fields
    )


def _canary(fields: object) -> CanarySeen | None:
    return None if fields is None else from_plain(CanarySeen, fields, lenient=True)


def _lag(fields: dict[str, Any]) -> ToldLag:
    lag = ToldLag(**fields)
    # Words that nobody knows here are no reason to show nonsense.
    LagExactness(lag.exactness)
    LagVerdict[lag.verdict]
    return lag
