"""What of the source is proved to be on the target, so that it may be deleted; pure."""

from __future__ import annotations

from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.audits import Audit
from kmirror.wire.position import decode_position


def safe_to_delete_before(
    audit: Audit | None, position: GroupPosition | None, *, log_start: int, ids: tuple[str, str]
) -> int | None:
    """
    Return below which source offset everything is committed on the target, and audited there.

    Args:
        audit: What was found identical; `None` for nothing.
        position: The flow's position; `None` when there is none.
        log_start: The first offset that the source still holds.
        ids: The ids of topic and copy.

    Returns:
        The offset; `None` when nothing is known to be safe.
    """
    metadata = decode_position(position.metadata) if position is not None else None
    if audit is None or position is None or metadata is None:
        return None
    is_whole = metadata.lost_from is None and not metadata.target_recreated
    same = ids == (audit.topic_id, audit.copy_id) == (metadata.topic_id, metadata.target_id)
    end = audit.end_of(log_start)
    return min(end, position.offset) if is_whole and same and end is not None else None
