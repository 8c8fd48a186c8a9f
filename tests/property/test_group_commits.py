"""Groups on the target, whatever they, their source and kmirror do: what is committed for them."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from kmirror.model import TopicPartition
from kmirror.plans.group_commits import Translation, plan_commits
from kmirror.plans.snapshot import GroupPosition
from kmirror.wire.written_offsets import WrittenOffset, decode_written_offset

HERE, THERE = TopicPartition("t", 0), TopicPartition("A.t", 0)
GROUP = "g"
# On the target everything lies three offsets further.
SHIFT = 3

offsets = st.integers(0, 12)
# What happens, and where to; few offsets, so that the same one comes by different ways.
steps = st.lists(
    st.tuples(st.sampled_from(["source", "target", "copy", "sync", "sync", "kill"]), offsets),
    min_size=20,
    max_size=60,
)


@dataclass(kw_only=True)
class World:
    """One group on one partition of both clusters."""

    source: int = 0
    copied: int = 0
    target: int | None = None
    by_consumer: bool = False
    is_written_down: bool = True
    topic: dict[bytes, bytes] = field(default_factory=dict)

    @property
    def wanted(self) -> int:
        """Where the group goes on there."""
        return min(self.source, self.copied) + SHIFT

    def find(self, group: str, partition: TopicPartition) -> WrittenOffset | None:
        """Look up what was written down."""
        found = [decode_written_offset(*each) for each in self.topic.items()]
        assert (group, partition) == (GROUP, THERE)
        return found[0] if found else None

    def sync(self, *, killed: bool) -> None:
        """Do a round; one that is killed does not write down what it has committed."""
        place = Translation(target=THERE, upstream=self.source, downstream=self.wanted)
        committed = {} if self.target is None else {THERE: GroupPosition(offset=self.target)}
        plan = plan_commits({GROUP: {HERE: place}}, {}, {GROUP: committed}, self.find, cluster="B")
        for at in plan.commit.get(GROUP, {}).values():
            self.check(at.offset)
            self.target, self.by_consumer, self.is_written_down = at.offset, False, not killed
            if killed:
                continue
            written = WrittenOffset(
                cluster="B",
                group=GROUP,
                partition=THERE,
                offset=at.offset,
                origin=self.source,
                at_ms=0,
            )
            self.topic = dict([written.encode()])

    def check(self, offset: int) -> None:
        """No consumer's commit is taken back, unless it is the very one that kmirror had made."""
        if self.target is not None and offset < self.target:
            written = self.find(GROUP, THERE)
            assert written is not None
            assert not self.by_consumer or self.target == written.offset


@settings(deadline=None)  # a busy machine is no failure
@given(steps)
def test_who_committed_decides(way: list[tuple[str, int]]) -> None:
    """A consumer's commit is never moved back; what kmirror wrote follows the source."""
    world = World()
    for what, offset in way:
        if what == "source":
            world.source = offset
        elif what == "target":
            world.target, world.by_consumer = offset, True
        elif what == "copy":
            world.copied = max(world.copied, offset)
        else:
            world.sync(killed=what == "kill")
            assert world.target is not None
            assert world.target >= world.wanted
            if world.is_written_down and not world.by_consumer:
                assert world.target == world.wanted
