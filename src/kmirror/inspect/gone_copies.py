"""Copies whose topics were deleted on the source, as far as it is written down."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.deletion_log import read_deletions
from kmirror.plans.deletions import is_quarantined
from kmirror.policy.deletion import DeletionVerb
from kmirror.units import moment
from kmirror.wire.deletions import GoneTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class GoneCopy:
    """
    What is left of a deleted topic.

    Args:
        gone: The topic.
        quarantined: Nothing is copied to it until somebody releases it.
        delete_at_ms: When it will be deleted, milliseconds since the epoch; `None` for never.
        words: What becomes of it.
    """

    gone: GoneTopic
    quarantined: bool
    delete_at_ms: int | None
    words: str

    def __str__(self) -> str:
        gone = self.gone
        return f"{gone.topic} was deleted on the source, seen {moment(gone.seen_ms)}: {self.words}"


def gone_copies(config: FlowConfig, clients: FlowClients) -> tuple[GoneCopy, ...]:
    """
    Return what is written down, by the topic's name.

    Args:
        config: The flow.
        clients: Its clients.

    Raises:
        ClusterError: The target could not be asked.
    """
    known = read_deletions(config, clients.target, clients.target_rdkafka)
    return tuple(_gone_copy(config, gone) for _, gone in sorted(known.gone.items()))


def _gone_copy(config: FlowConfig, gone: GoneTopic) -> GoneCopy:
    policy, delete_at_ms = config.topic_deletion.of(gone.topic), None
    is_kept = gone.deleted_ms is not None or gone.released_ms is not None
    if policy.verb is DeletionVerb.DELETE_AFTER and not is_kept:
        delete_at_ms = gone.seen_ms + policy.after_ms
    return GoneCopy(
        gone=gone,
        quarantined=is_quarantined(gone),
        delete_at_ms=delete_at_ms,
        words=_words(config, gone, delete_at_ms),
    )


def _words(config: FlowConfig, gone: GoneTopic, delete_at_ms: int | None) -> str:
    if gone.deleted_ms is not None:
        return f"{gone.copy} was deleted {moment(gone.deleted_ms)}"
    if gone.released_ms is not None:
        return f"{gone.copy} was released by {gone.released_by}"
    verb = f"`kmirror release FILE '{config.flow}' {gone.topic}`"
    if is_quarantined(gone):
        return f"{gone.copy} is in quarantine ({verb} ends that)"
    if delete_at_ms is not None:
        return f"{gone.copy} is deleted at {moment(delete_at_ms)} if it stays so ({verb} keeps it)"
    return f"{gone.copy} stays"
