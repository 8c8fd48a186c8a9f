"""Gives the copy of a deleted topic free again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.ends.deletion_log import open_deletion_log, read_deletions
from kmirror.ends.deletion_survey import copied_topics, told_twice
from kmirror.errors import OrderRefused
from kmirror.policy.deletion import DeletionVerb
from kmirror.wire.deletions import GoneTopic


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """
    What a release does.

    Args:
        gone: What will be written down.
        is_done: Somebody has done it before.
        is_there: The source has another topic of that name now.
    """

    gone: GoneTopic
    is_done: bool
    is_there: bool


def plan_release(
    config: FlowConfig, clients: FlowClients, topic: str, *, by: str, clock: Clock
) -> Release:
    """
    Work out what a release would do; nothing is changed.

    Args:
        config: The flow.
        clients: Its clients.
        topic: A topic of the source.
        by: Who wants it.
        clock: Where time comes from.

    Raises:
        OrderRefused: Its copy is neither in quarantine nor to be deleted.
        ClusterError: A cluster did not answer.
    """
    known = read_deletions(config, clients.target, clients.target_rdkafka)
    now_ms = clock.wall_ms()
    now_id = told_twice(clients.source, [topic]).get(topic)
    unwritten = _unwritten(config, clients, topic, now_id)
    gone = known.gone.get(topic) or (unwritten and replace(unwritten, seen_ms=now_ms, by=by))
    if gone is None or gone.deleted_ms is not None:
        raise OrderRefused(
            f"{config.flow} holds no copy of a deleted topic {topic}",
            hint="give its name on the source; `kmirror status` lists them",
        )
    is_done = gone.released_ms is not None
    released = gone if is_done else replace(gone, released_ms=now_ms, released_by=by)
    return Release(gone=released, is_done=is_done, is_there=now_id is not None)


def _unwritten(
    config: FlowConfig, clients: FlowClients, topic: str, now_id: str | None
) -> GoneTopic | None:
    """Return what holds although nobody has written it down: the topic was made again."""
    policy = config.topic_deletion.of(topic)
    if now_id is None or policy.verb is not DeletionVerb.QUARANTINE or config.policy.merges:
        return None
    copied = copied_topics(config, clients.target, clients.target.topics())
    for each in copied:
        if each.topic == topic and now_id not in each.topic_ids:
            return GoneTopic(
                topic=topic,
                topic_id=each.topic_ids[0],
                copy=each.copy,
                copy_id=each.copy_id,
                seen_ms=0,
                by="",
                policy=policy.text,
            )
    return None


def do_release(config: FlowConfig, clients: FlowClients, release: Release) -> None:
    """
    Write it down.

    Args:
        config: The flow.
        clients: Its clients.
        release: By `plan_release`.

    Raises:
        ClusterError: It could not be written.
    """
    if release.is_done:
        return
    with open_deletion_log(config, clients.target, clients.target_rdkafka) as log:
        log.write([release.gone])
