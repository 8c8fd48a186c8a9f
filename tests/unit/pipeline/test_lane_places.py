"""Where a lane runs, as Spark tells it."""

from __future__ import annotations

import pytest

from kmirror.pipeline.desk import LanePlace


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("", None),
        ("executor_mirror-1_driver", LanePlace(executor="", host="mirror-1")),
        ("executor_worker_3.example_12", LanePlace(executor="12", host="worker_3.example")),
    ],
)
def test_where_a_lane_runs(location: str, place: LanePlace | None) -> None:
    """Executors that are threads of the driver have no name of their own."""
    assert LanePlace.of(location) == place
