"""What a partition of a flow is at, in the words that operators of Kafka use; pure."""

from __future__ import annotations

from enum import Enum

# Drivers write the second copy of their positions once a minute.
SIGN_S_MAX = 150.0


class PartitionState(Enum):
    """What a partition is at."""

    INITIALIZING = "initializing"
    MIRRORING = "mirroring"
    CAUGHT_UP = "caught up"
    PAUSED = "paused"
    PARKED = "parked"
    QUARANTINED = "quarantined"
    STOPPED = "stopped"
    WAITING = "waiting"


def partition_state(
    *,
    has_begun: bool,
    lag_records: int,
    is_parked: bool,
    is_paused: bool,
    is_silent: bool,
    sign_age_s: float | None,
) -> PartitionState:
    """
    Return what a partition is at.

    Args:
        has_begun: It has a position.
        lag_records: Source offsets behind its position, or its beginning.
        is_parked: It stands still until somebody decides.
        is_paused: It stands still because somebody wants it so.
        is_silent: Its leader on the source does not tell where it ends.
        sign_age_s: Seconds since a driver gave a sign of life; `None` when that is not known.
    """
    if is_parked:
        return PartitionState.PARKED
    if is_paused:
        return PartitionState.PAUSED
    if sign_age_s is not None and sign_age_s > SIGN_S_MAX:
        return PartitionState.STOPPED
    if is_silent:
        return PartitionState.WAITING
    if not has_begun:
        return PartitionState.INITIALIZING
    return PartitionState.MIRRORING if lag_records else PartitionState.CAUGHT_UP
