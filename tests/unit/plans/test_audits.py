"""What is safe to delete on the source."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.model import TopicPartition
from kmirror.plans.audits import safe_to_delete_before
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.audits import Audit
from kmirror.wire.position import PositionMetadata

WHOLE = PositionMetadata(target_offset=500, topic_id="s", target_id="c")
AUDIT = Audit(
    partition=TopicPartition("t", 0),
    topic_id="s",
    copy_id="c",
    ranges=((100, 300), (350, 400)),
    at_ms=5,
    by="ann",
)


def safe(
    audit: Audit | None = AUDIT,
    *,
    at: int = 1000,
    metadata: PositionMetadata = WHOLE,
    log_start: int = 100,
    ids: tuple[str, str] = ("s", "c"),
) -> int | None:
    """Ask for a partition."""
    position = GroupPosition(offset=at, metadata=metadata.encode())
    return safe_to_delete_before(audit, position, log_start=log_start, ids=ids)


def test_what_was_audited_from_the_beginning_on() -> None:
    """Not behind a hole, and not behind what is committed."""
    assert safe() == 300
    assert safe(log_start=250) == 300
    assert safe(log_start=360) == 400
    assert safe(at=200) == 200


@pytest.mark.parametrize(
    "unsafe",
    [
        {"audit": None},
        {"log_start": 50},
        {"log_start": 320},
        {"ids": ("other", "c")},
        {"ids": ("s", "other")},
        {"metadata": replace(WHOLE, topic_id="other")},
        {"metadata": replace(WHOLE, target_id=None)},
        {"metadata": replace(WHOLE, lost_from=7)},
        {"metadata": replace(WHOLE, target_recreated=True)},
    ],
)
def test_nothing_is_known_to_be_safe(unsafe: dict[str, object]) -> None:
    """Nothing was audited there, of these topics, or the target has lost something since."""
    assert safe(**unsafe) is None  # type: ignore[arg-type]  # each is one of the arguments


def test_without_a_position_nothing_is() -> None:
    assert safe_to_delete_before(AUDIT, None, log_start=100, ids=("s", "c")) is None
