"""How a flow stands against its SLO, as far as its clusters tell, without its driver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from kmirror.admin.owner_entry import OwnerEntry
from kmirror.admin.reader import RecordReader
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.errors import ClusterError
from kmirror.inspect.signs import last_sign_ms
from kmirror.model import TopicPartition
from kmirror.plans.partition_states import SIGN_S_MAX
from kmirror.policy.lag_verdicts import FlowJudgement, LagVerdict, judge_flow

# Of a flow that is behind everywhere, so many partitions tell how far: those with the most lag.
_READ_MAX = 10
_READ_S_MAX = 2.0


class Behind(Protocol):
    """What of a source partition is not on the target."""

    @property
    def partition(self) -> TopicPartition:
        """The source partition."""
        ...

    @property
    def start(self) -> int:
        """The first offset that is not there."""
        ...

    @property
    def end(self) -> int:
        """The end of the source."""
        ...

    @property
    def records(self) -> int:
        """How many offsets that is."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """
    How a flow stands.

    Args:
        lag_seconds: How old the oldest record is that only the source has, by its timestamp, of
            the ten partitions with the most lag; `None` when it cannot be read.
        sign_age_seconds: How long ago a driver gave a sign of life; `None` when not known.
        judgement: Against the SLO.
    """

    lag_seconds: float | None
    sign_age_seconds: float | None
    judgement: FlowJudgement


def standing(
    config: FlowConfig,
    clients: FlowClients,
    behind: Iterable[Behind],
    *,
    parked: int,
    silent: int,
    entry: OwnerEntry | None,
    clock: Clock,
) -> Standing:
    """
    Ask both clusters.

    Args:
        config: The flow.
        clients: Its clients.
        behind: Where it has lag.
        parked: How many partitions stand still.
        silent: Of how many the source does not tell the end.
        entry: Whose it is; `None` when nobody ever had it.
        clock: Where time comes from.
    """
    now_ms = clock.wall_ms()
    sign_ms = last_sign_ms(config, clients.target, entry)
    sign_age_s = None if sign_ms is None else max(0.0, (now_ms - sign_ms) / 1000)
    worst = sorted((each for each in behind if each.records), key=lambda each: -each.records)
    lag_s = _lag_s(config, clients, worst[:_READ_MAX], now_ms, clock) if worst else 0.0
    has_driver = entry is not None and entry.driver is not None
    is_away = not has_driver if sign_age_s is None else sign_age_s > SIGN_S_MAX
    age = "" if sign_age_s is None else f" for {sign_age_s:,.0f} s"
    return Standing(
        lag_seconds=lag_s,
        sign_age_seconds=sign_age_s,
        judgement=judge_flow(
            config.slo,
            trouble=f"no driver has given a sign of life{age}" if is_away else "",
            parked=parked,
            silent=silent,
            lag=LagVerdict.OK,
            lag_s=lag_s,
            rpo_s=lag_s,
        ),
    )


def _lag_s(
    config: FlowConfig,
    clients: FlowClients,
    worst: Iterable[Behind],
    now_ms: int,
    clock: Clock,
) -> float | None:
    """Read the first record of each that is not copied; `None` when it may not be read."""
    oldest_ms: int | None = None
    try:
        with RecordReader(
            clients.source_rdkafka,
            cluster=f"cluster {config.flow.source}",
            isolation=config.isolation_level,
            timeout_s=_READ_S_MAX,
            clock=clock,
        ) as reader:
            for each in worst:
                batches = reader.batches(each.partition, each.start, each.end, first_records=1)
                for batch in batches:
                    kind, at_ms = batch[0].timestamp()
                    if kind and (oldest_ms is None or at_ms < oldest_ms):
                        oldest_ms = at_ms
                    break
                batches.close()
    except ClusterError:
        return None
    return None if oldest_ms is None else max(0.0, (now_ms - oldest_ms) / 1000)
