"""Divides what a flow may read among its slots, by where the load is; pure."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kmirror.model import TopicPartition
from kmirror.policy.limits import LimitRules

# A slot that has little to do gets more than it uses, so that it can grow until the next look.
_GROWTH = 1.5
_SPARE_SHARE = 0.02
# A topic that reads so much of its own limit is held back by that, not by what comes before it.
_BOUND_SHARE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLoad:
    """
    One partition, lately.

    Args:
        partition: On the source.
        slot: Which slot has it.
        bytes_per_s: What was copied of it.
        is_behind: It has more than it copies in a moment.
    """

    partition: TopicPartition
    slot: int
    bytes_per_s: float
    is_behind: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicLimit:
    """
    A topic in a slot.

    Args:
        rate: Bytes a second; `None` for no limit of its own.
        rank: 0 for the first class of the flow.
    """

    rate: int | None
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotLimit:
    """
    What a slot may read.

    Args:
        rate: Bytes a second; `None` for no limit.
        open: Topics of a larger rank wait.
        topics: By name; those that are not named have rank 0 and no limit.
    """

    rate: int | None
    open: int
    topics: Mapping[str, TopicLimit]


def divide(rate: int, demands: Sequence[float]) -> list[int]:
    """
    Divide *rate* by need: who needs little gets that, the others share the rest equally.

    Args:
        rate: Bytes a second.
        demands: Bytes a second that each would use; infinite for as much as there is.

    Returns:
        A share for each; together they are *rate*, as far as anybody needs anything.
    """
    needy = [at for at, demand in enumerate(demands) if demand > 0]
    shares = [0.0] * len(demands)
    left = float(rate)
    for done, at in enumerate(sorted(needy, key=lambda at: demands[at])):
        shares[at] = min(demands[at], left / (len(needy) - done))
        left -= shares[at]
    for at in needy:
        shares[at] += left / len(needy)
    return [max(1, round(share)) if share > 0 else 0 for share in shares]


def allot(rules: LimitRules, loads: Sequence[ReadLoad], slots: int) -> tuple[SlotLimit, ...]:
    """
    Say what each slot may read until the next look.

    Args:
        rules: What the file says.
        loads: Every partition that is copied.
        slots: How many slots there are.
    """
    classes = sorted({rules.priority.of(load.partition.topic) for load in loads})
    ranks = {name: rank for rank, name in enumerate(classes)}
    topics = {load.partition.topic for load in loads}
    rank_of = {topic: ranks[rules.priority.of(topic)] for topic in topics}
    shares: dict[str, list[int]] = {}
    for topic in topics:
        if (rate := rules.topics.of(topic)) is not None:
            own = [load for load in loads if load.partition.topic == topic]
            shares[topic] = divide(rate, _demands(own, slots, rate))
    all_shares = None if rules.flow is None else _by_class(rules.flow, loads, slots, rank_of)
    is_open = len(classes) if rules.flow is not None else _open(rules, loads, rank_of)
    return tuple(
        SlotLimit(
            rate=None if all_shares is None else max(1, all_shares[slot]),
            open=is_open,
            topics={
                topic: TopicLimit(
                    rate=max(1, shares[topic][slot]) if topic in shares else None,
                    rank=rank_of[topic],
                )
                for topic in sorted(topics)
                if topic in shares or rank_of[topic]
            },
        )
        for slot in range(slots)
    )


def encode(limits: Sequence[SlotLimit]) -> str:
    """Return what `io.kmirror.lane.Throttle` reads."""
    return json.dumps(
        [
            {
                "rate": limit.rate or 0,
                "open": limit.open,
                "topics": {
                    name: {"rate": each.rate or 0, "rank": each.rank}
                    for name, each in limit.topics.items()
                },
            }
            for limit in limits
        ],
        separators=(",", ":"),
    )


def is_bound(rules: LimitRules, loads: Sequence[ReadLoad]) -> bool:
    """Return whether something is behind because of a limit."""
    behind = [load for load in loads if load.is_behind]
    total = sum(load.bytes_per_s for load in loads)
    if rules.flow is not None and behind and total >= _BOUND_SHARE * rules.flow:
        return True
    return any(_is_at_its_limit(rules, load.partition.topic, loads) for load in behind)


def _demands(loads: Sequence[ReadLoad], slots: int, rate: int) -> list[float]:
    demands = [0.0] * slots
    for load in loads:
        need = load.bytes_per_s * _GROWTH + rate * _SPARE_SHARE / len(loads)
        demands[load.slot] += math.inf if load.is_behind else need
    return demands


def _by_class(
    rate: int, loads: Sequence[ReadLoad], slots: int, rank_of: Mapping[str, int]
) -> list[int]:
    """Divide by the needs of the first class that does not have all it needs, then of the next."""
    sums, left = [0] * slots, rate
    last = max(rank_of.values(), default=0)
    for rank in range(last + 1):
        own = [load for load in loads if rank_of[load.partition.topic] == rank]
        demands = _demands(own, slots, rate)
        needed = sum(demands)
        given = divide(left if rank == last or needed >= left else math.ceil(needed), demands)
        sums = [before + more for before, more in zip(sums, given, strict=True)]
        left = max(0, rate - sum(sums))
        if not left:
            break
    if left and any(sums):
        sums = [share + round(left * share / sum(sums)) for share in sums]
    return sums


def _open(rules: LimitRules, loads: Sequence[ReadLoad], rank_of: Mapping[str, int]) -> int:
    """Return the first class that is behind, and would copy more if it could."""
    waiting = (
        rank_of[load.partition.topic]
        for load in loads
        if load.is_behind and not _is_at_its_limit(rules, load.partition.topic, loads)
    )
    return min(waiting, default=max(rank_of.values(), default=0))


def _is_at_its_limit(rules: LimitRules, topic: str, loads: Sequence[ReadLoad]) -> bool:
    rate = rules.topics.of(topic)
    total = sum(load.bytes_per_s for load in loads if load.partition.topic == topic)
    return rate is not None and total >= _BOUND_SHARE * rate
