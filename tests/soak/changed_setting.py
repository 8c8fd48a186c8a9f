"""A setting of a topic that is changed, and that the copies are to have, too."""

from __future__ import annotations

from kmirror_lab.cluster.cluster import Cluster

from tests.soak.stage import PLAIN, Stage
from tests.support.topic_settings import change_settings, own_settings

SIZES = range(1_200_000, 1_300_000)
"""What faults give; all records fit."""

_NAME = "max.message.bytes"
_SETTLE_S_MAX = 120.0


def change_size(source: Cluster, size: int) -> str:
    """Change a setting of the plain topic, and say what was done."""
    change_settings(source, PLAIN, {_NAME: str(size)})
    return f"{PLAIN}: {_NAME}={size}"


def check_changed_setting(stage: Stage) -> None:
    """
    Change a setting to what it never was, and wait until all copies have it.

    Raises:
        AssertionError: They have not in time, or the driver has ended.
    """
    size = SIZES.stop
    done = change_size(stage.source, size)
    stage.driver.wait_until(
        lambda: all(
            own_settings(stage.target, copy.topics[PLAIN]).get(_NAME) == str(size)
            for copy in stage.flow.copies
        ),
        f"copies of {done}",
        _SETTLE_S_MAX,
    )
