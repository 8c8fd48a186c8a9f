"""
What becomes of copies whose topics were deleted on the source; pure.

A topic is gone when the source says that its id is: it answers that there is no topic of its name,
or that the name is another topic's. An answer that leaves a topic out, or refuses it, proves
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from kmirror.policy.deletion import Deletion, DeletionVerb
from kmirror.policy.per_topic import PerTopic
from kmirror.units import moment
from kmirror.wire.deletions import GoneTopic, KnownSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletions:
    """
    All that is known of deleted topics of a flow.

    Args:
        gone: By the topic's name on the source.
        cluster_id: The cluster that was copied from; empty when nobody has written it down.
    """

    gone: Mapping[str, GoneTopic] = field(default_factory=dict)
    cluster_id: str = ""

    def with_records(self, records: Iterable[GoneTopic | KnownSource | str]) -> Deletions:
        """Return what is known after these records."""
        gone, cluster_id = dict(self.gone), self.cluster_id
        for record in records:
            match record:
                case GoneTopic():
                    gone[record.topic] = record
                case KnownSource():
                    cluster_id = record.cluster_id
                case topic:
                    gone.pop(topic, None)
        return replace(self, gone=gone, cluster_id=cluster_id)

    def quarantine(
        self, topic: str, *, topic_id: str, known_id: str, policy: Deletion
    ) -> Quarantine | None:
        """
        Return why nothing may be copied from a topic that is there; `None` when it may.

        Args:
            topic: Its name on the source.
            topic_id: Its id there; empty when the source does not tell.
            known_id: The id of the topic that its copy was made of; empty when that is not known.
            policy: The file's choice for it.
        """
        record = self.gone.get(topic)
        if record is not None and is_quarantined(record) and record.topic_id != topic_id:
            return Quarantine(topic_id=record.topic_id, since_ms=record.seen_ms)
        is_other = bool(topic_id and known_id) and topic_id != known_id
        if not is_other or policy.verb is not DeletionVerb.QUARANTINE:
            return None
        is_known = record is not None and record.topic_id == known_id
        # It was deleted and made again between two looks: nobody has written it down yet.
        return None if is_known else Quarantine(topic_id=known_id)

    def made_way(self, topic: str, *, topic_id: str) -> bool:
        """Return whether the copy of an earlier topic of this name was deleted, as it had to be."""
        record = self.gone.get(topic)
        return record is not None and record.deleted_ms is not None and record.topic_id != topic_id


def is_quarantined(gone: GoneTopic) -> bool:
    """Return whether nothing may be copied to what a topic has left behind."""
    return gone.policy == DeletionVerb.QUARANTINE.value and gone.released_ms is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine:
    """
    Nothing may be copied to what a deleted topic has left behind.

    Args:
        topic_id: The deleted topic's.
        since_ms: When it was proved to be gone; `None` when nobody has written that down yet.
    """

    topic_id: str
    since_ms: int | None = None

    @property
    def words(self) -> str:
        """Why, for people."""
        since = "" if self.since_ms is None else f" since {moment(self.since_ms)}"
        return f"quarantined{since}: the topic that was copied (id {self.topic_id}) was deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedTopic:
    """
    A topic that a flow has copied, by what its positions remember.

    Args:
        topic: Its name on the source.
        topic_ids: Its ids there, the first partition's first.
        copy: Its copy.
        copy_id: The copy's id when the positions were written; empty when it was not told.
    """

    topic: str
    topic_ids: tuple[str, ...]
    copy: str
    copy_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionFacts:
    """
    What both clusters say.

    Args:
        copied: What the flow has copied.
        told: Ids of topics on the source, `None` where it says that there is no such topic. One
            that is left out may be there.
        copies: Ids of copies on the target, by name; one that is not there is left out.
        cluster_id: The source's.
    """

    copied: tuple[CopiedTopic, ...]
    told: Mapping[str, str | None]
    copies: Mapping[str, str]
    cluster_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DueDeletion:
    """A copy that is deleted at a time, milliseconds since the epoch, if its topic stays gone."""

    gone: GoneTopic
    at_ms: int

    def __str__(self) -> str:
        topic = self.gone
        return f"{topic.copy}: {topic.topic} was deleted, seen {moment(topic.seen_ms)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftCopy:
    """A copy that stays although the file wants it deleted or in quarantine, and why."""

    topic: str
    why: str

    def __str__(self) -> str:
        return f"{self.topic}: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionPlan:
    """
    What would be done.

    Args:
        note: Topics to write down as gone.
        back: Topics that are there again, or that others have taken the place of: to be forgotten.
        delete: Copies to delete now.
        waiting: Copies to delete later.
        left: What stays, and why.
        source: What is to be written down of the source; `None` for nothing.
    """

    note: tuple[GoneTopic, ...] = ()
    back: tuple[GoneTopic, ...] = ()
    delete: tuple[DueDeletion, ...] = ()
    waiting: tuple[DueDeletion, ...] = ()
    left: tuple[LeftCopy, ...] = ()
    source: KnownSource | None = None

    def __bool__(self) -> bool:
        """Tell whether anything would change."""
        return bool(self.note or self.back or self.delete)


def plan_deletions(
    known: Deletions,
    facts: DeletionFacts,
    policy: PerTopic[Deletion],
    *,
    now_ms: int,
    by: str,
) -> DeletionPlan:
    """
    Decide for every topic that was copied, or that is known to be gone.

    Args:
        known: What is written down.
        facts: What both clusters say now.
        policy: The file's choices.
        now_ms: The time, milliseconds since the epoch.
        by: Who would write it down.
    """
    copied = {each.topic: each for each in facts.copied}
    is_same = any(facts.told.get(each.topic) in each.topic_ids for each in facts.copied)
    cluster_id = facts.cluster_id if is_same else known.cluster_id
    source = KnownSource(cluster_id=cluster_id) if cluster_id != known.cluster_id else None
    note, back = list[GoneTopic](), list[GoneTopic]()
    delete, waiting, left = list[DueDeletion](), list[DueDeletion](), list[LeftCopy]()
    for topic in sorted({*copied, *known.gone}):
        case = _Case(
            copied=copied.get(topic),
            record=known.gone.get(topic),
            policy=policy.of(topic),
            now_ms=now_ms,
            by=by,
        )
        if topic not in facts.told:
            why = "the source does not say whether it is there (grant Describe on the topic)"
            left += [LeftCopy(topic=topic, why=why)] if case.is_minded else []
        elif case.is_back(facts.told[topic]):
            back += [case.record] if case.record is not None else []
        elif case.is_alive(facts.told[topic]):
            continue
        elif cluster_id != facts.cluster_id or not cluster_id:
            why = "the source may be another cluster than the one that was copied: none of the "
            why += "topics that were is there"
            left += [LeftCopy(topic=topic, why=why)] if case.is_minded else []
        else:
            for step in case.steps(facts.told[topic], facts.copies):
                match step:
                    case GoneTopic():
                        note.append(step)
                    case LeftCopy():
                        left.append(step)
                    case DueDeletion():
                        (delete if step.at_ms <= now_ms else waiting).append(step)
    return DeletionPlan(
        note=tuple(note),
        back=tuple(back),
        delete=tuple(delete),
        waiting=tuple(waiting),
        left=tuple(left),
        source=source,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What is known of one topic: of its positions, and what is written down."""

    copied: CopiedTopic | None
    record: GoneTopic | None
    policy: Deletion
    now_ms: int
    by: str

    @property
    def is_minded(self) -> bool:
        return self.policy.verb is not DeletionVerb.IGNORE

    def is_back(self, now_id: str | None) -> bool:
        """Whether what is written down is over: its id is there again, or is copied no more."""
        record, copied = self.record, self.copied
        if record is None or now_id is None:
            return False
        made_way = record.deleted_ms is not None or record.released_ms is not None
        goes_on = copied is not None and now_id in copied.topic_ids
        return now_id == record.topic_id or (made_way and goes_on)

    def is_alive(self, now_id: str | None) -> bool:
        return self.copied is not None and now_id in self.copied.topic_ids

    def steps(self, now_id: str | None, copies: Mapping[str, str]) -> Iterator[_Found]:
        """Yield what follows from the proof that it is gone."""
        record = self._record()
        if record is None or not self.is_minded:
            return
        if record != self.record:
            yield record
        if self.policy.verb is DeletionVerb.DELETE_AFTER and record.deleted_ms is None:
            yield from self._deletion(record, now_id, copies)

    def _record(self) -> GoneTopic | None:
        """Return what is to be written down."""
        record, copied = self.record, self.copied
        if copied is None or (record is not None and record.topic_id in copied.topic_ids):
            return None if record is None else replace(record, policy=self._policy_text(record))
        return GoneTopic(
            topic=copied.topic,
            topic_id=copied.topic_ids[0],
            copy=copied.copy,
            copy_id=copied.copy_id,
            seen_ms=self.now_ms,
            by=self.by,
            policy=self.policy.text,
        )

    def _policy_text(self, record: GoneTopic) -> str:
        return self.policy.text if self.is_minded else record.policy

    def _deletion(
        self, record: GoneTopic, now_id: str | None, copies: Mapping[str, str]
    ) -> Iterator[_Found]:
        if record.copy not in copies or record.released_ms is not None:
            return
        if now_id is not None:
            why = f"{record.copy} stays: the source has another topic of that name by now"
            yield LeftCopy(topic=record.topic, why=why)
        elif not record.copy_id or copies[record.copy] != record.copy_id:
            why = f"{record.copy} stays: it is not the topic that was copied to"
            yield LeftCopy(topic=record.topic, why=why)
        else:
            yield DueDeletion(gone=record, at_ms=record.seen_ms + self.policy.after_ms)


_Found = GoneTopic | DueDeletion | LeftCopy
