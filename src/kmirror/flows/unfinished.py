"""What a bounded copy has left undone, as the target itself says."""

from __future__ import annotations

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.stable_ends import stable_ends
from kmirror.clock import Clock
from kmirror.flows.planner import Planner
from kmirror.plans.text import first_few
from kmirror.state.progress import Progress
from kmirror.state.status import ParkedPartition

# Markers are written within milliseconds; what takes longer is somebody else's open transaction.
_READABLE_S_MAX = 10.0


def unfinished(
    planner: Planner, progress: Progress, target: ClusterAdmin
) -> tuple[ParkedPartition, ...]:
    """
    Return the partitions that have not reached their end, without those that are paused or parked.

    Args:
        planner: Made the plan that has ended.
        progress: What lanes have reported.
        target: The target's control plane.

    Raises:
        ClusterError: The target did not answer.
    """
    parked = {entry.partition for entry in progress.parked}
    open_ones = [m for m in planner.mirrored if m.source not in parked | planner.rest.pauses.keys()]
    positions = target.group_positions(planner.group, [m.position for m in open_ones])
    left = []
    for mirrored in open_ones:
        at, end = positions.get(mirrored.position), planner.ends.get(mirrored.source)
        if end is None:
            reason = f"{mirrored.source}: not copied: its offsets could not be read"
        elif at is None or at.offset < end:
            so_far = "nothing of it" if at is None else f"copied up to offset {at.offset} of {end}"
            reason = f"{mirrored.source}: {so_far}, and its lane has not said why"
        else:
            continue
        left.append(ParkedPartition(partition=mirrored.source, kind="unfinished", reason=reason))
    return tuple(left)


def unreadable(planner: Planner, target: ClusterAdmin, clock: Clock) -> str:
    """
    Wait until whoever reads committed records sees all that was copied, for a while.

    Returns:
        What still hides some of it; empty when nothing does.

    Raises:
        ClusterError: The target did not answer.
    """
    copies = [mirrored.target for mirrored in planner.mirrored]
    stable = stable_ends(target, copies, timeout_s=_READABLE_S_MAX, clock=clock, partial=True)
    if not stable.pending:
        return ""
    return (
        f"a transaction has not ended on {first_few(sorted(stable.pending))}: readers of committed "
        "records of the target do not see yet what is behind it"
    )
