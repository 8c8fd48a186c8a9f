"""What a partition is at: the state that matters most comes first."""

from __future__ import annotations

from typing import Any

import pytest

from kmirror.plans.partition_states import SIGN_S_MAX, PartitionState, partition_state


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, PartitionState.CAUGHT_UP),
        ({"lag_records": 3}, PartitionState.MIRRORING),
        ({"has_begun": False, "lag_records": 3}, PartitionState.INITIALIZING),
        ({"sign_age_s": None}, PartitionState.CAUGHT_UP),
        ({"sign_age_s": SIGN_S_MAX + 1}, PartitionState.STOPPED),
        ({"sign_age_s": SIGN_S_MAX + 1, "is_paused": True}, PartitionState.PAUSED),
        ({"is_paused": True, "is_parked": True}, PartitionState.PARKED),
        ({"is_silent": True, "has_begun": False}, PartitionState.WAITING),
        ({"is_silent": True, "is_paused": True}, PartitionState.PAUSED),
        ({"is_silent": True, "sign_age_s": SIGN_S_MAX + 1}, PartitionState.STOPPED),
    ],
)
def test_states(changes: dict[str, Any], state: PartitionState) -> None:
    """A partition that is parked says so, whoever drives the flow or has paused it."""
    usual: dict[str, Any] = {
        "has_begun": True,
        "lag_records": 0,
        "is_parked": False,
        "is_paused": False,
        "is_silent": False,
        "sign_age_s": 5.0,
    }
    assert partition_state(**(usual | changes)) is state
