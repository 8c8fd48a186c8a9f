"""A driver with a console, as its API tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from kmirror.api.client import ApiClient
from kmirror.api.moves import MoveRequest, MoveState, MoveVerb, MoveView
from kmirror.api.plots import PlotRange
from tests.support.driver import Driver

FLOW = "Sconsole->Tconsole"


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A driver with a console."""

    api: ApiClient
    address: str
    file: Path
    pair: ClusterPair
    driver: Driver


def is_caught_up(api: ApiClient) -> bool:
    """Whether all is copied, as the console says."""
    flow = api.flow(FLOW)
    return flow.state == "running" and flow.partitions == 2 and flow.lag.records == 0


def is_followed(api: ApiClient) -> bool:
    """Whether the group goes on with its eleventh records; transactions' markers are between."""
    (group,) = api.groups(FLOW).groups
    lags = [each.target_lag for each in group.places]
    return all(lag is not None and 490 <= lag < 500 for lag in lags)


def states(api: ApiClient) -> dict[int, str]:
    """Give what the console says of each partition."""
    return {each.partition: each.state for each in api.partitions(FLOW).partitions}


def has_plots(api: ApiClient) -> bool:
    """Whether its plots have that something was copied, and how long that took."""
    points = api.plots(FLOW, PlotRange.QUARTER).points
    is_timed = any(each.latency_p99_s and each.commit_p50_s for each in points)
    return is_timed and max(each.records_per_s or 0 for each in points) > 0


def moved_to_its_end(api: ApiClient, kind: MoveVerb) -> MoveView:
    """Order a move, and give what became of it."""
    begun = api.begin_move(MoveRequest(kind=kind, reason="a test", flow=FLOW, wait_s=60))
    assert begun.state is MoveState.RUNNING
    wait_until(
        lambda: api.move(begun.number).ended_ms is not None, "moved", timeout_s=120, pause_s=0.2
    )
    return api.move(begun.number)
