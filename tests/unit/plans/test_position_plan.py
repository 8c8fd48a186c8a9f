"""Every case of the decision from where to copy."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.errors import (
    DataGap,
    LogTruncated,
    PositionMissing,
    TargetLostRecords,
    TopicQuarantined,
    TopicRecreated,
)
from kmirror.model import TopicPartition
from kmirror.plans.decisions import Adopt, Keep, Park, Seed
from kmirror.plans.deletions import Quarantine
from kmirror.plans.position_facts import (
    MM2Position,
    OwnPosition,
    PartitionFacts,
    PositionPolicy,
)
from kmirror.plans.positions import decide, plan_positions
from kmirror.wire.position import PositionMetadata

FACTS = PartitionFacts(
    source=TopicPartition("t", 0),
    target=TopicPartition("A.t", 0),
    log_start=100,
    log_end=1000,
    target_end=500,
    topic_id="new",
)
EMPTY = replace(FACTS, target_end=0)
POLICY = PositionPolicy()
HELD = Quarantine(topic_id="old", since_ms=0)


def ours(offset: int, *, target_offset: int = 400, topic_id: str | None = "new") -> OwnPosition:
    """Give a position of our own."""
    metadata = PositionMetadata(target_offset=target_offset, topic_id=topic_id)
    return OwnPosition(offset=offset, metadata=metadata)


def mm2(offset: int, *, by_us: bool = False) -> MM2Position:
    """Give a position of MirrorMaker 2."""
    return MM2Position(offset=offset, written_by_us=by_us)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (ours(300), None),
        (ours(300), mm2(200)),
        (ours(300), mm2(900, by_us=True)),
        (OwnPosition(offset=300), mm2(300)),
        (ours(300, topic_id=None), None),
    ],
)
def test_keeps_our_own(mine: OwnPosition, theirs: MM2Position | None) -> None:
    """Unless MirrorMaker 2 itself went further."""
    assert decide(replace(FACTS, ours=mine, mm2=theirs), POLICY) == Keep(
        partition=FACTS.source, offset=300, why="goes on at offset 300"
    )


@pytest.mark.parametrize("offset", [100, 1000])
def test_the_ends_of_the_log_are_inside(offset: int) -> None:
    """Caught up, or exactly at the first record."""
    assert isinstance(decide(replace(FACTS, ours=ours(offset)), POLICY), Keep)


def test_mm2_ran_after_us() -> None:
    """Its position is newer than ours."""
    decision = decide(replace(FACTS, ours=ours(300), mm2=mm2(400)), POLICY)
    assert isinstance(decision, Seed)
    assert decision.offset == 400
    assert "MirrorMaker 2 ran after kmirror" in decision.why


def test_takes_over_from_mm2() -> None:
    """The first start of an MM2 user copies nothing twice."""
    decision = decide(replace(FACTS, mm2=mm2(250)), POLICY)
    assert isinstance(decision, Seed)
    assert (decision.offset, decision.skipped) == (250, 0)


SECOND_COPY = MM2Position(offset=250, written_by_us=True)


def test_second_copy_that_may_be_old() -> None:
    """What was copied after it must not come twice: the tails decide, or the operator."""
    facts = replace(FACTS, mm2=mm2(250, by_us=True))
    assert isinstance(decide(facts, POLICY), Adopt)
    assert isinstance(decide(replace(facts, target_end=0), POLICY), Seed)
    decision = decide(facts, PositionPolicy(position_missing="latest"))
    assert isinstance(decision, Seed)
    assert decision.offset == FACTS.log_end


@pytest.mark.parametrize(
    ("policy", "is_late", "offset"),
    [
        (POLICY, False, 100),
        (PositionPolicy(auto_offset_reset="latest"), False, 1000),
        (PositionPolicy(auto_offset_reset="latest"), True, 100),
    ],
)
def test_first_start(policy: PositionPolicy, is_late: bool, offset: int) -> None:
    """auto.offset.reset decides, but never for a partition that appeared later."""
    decision = decide(replace(EMPTY, is_late=is_late), policy)
    assert isinstance(decision, Seed)
    assert decision.offset == offset


def test_no_position_parks_and_names_the_choices() -> None:
    """Neither copied again nor skipped."""
    decision = decide(FACTS, POLICY)
    assert isinstance(decision, Park)
    assert isinstance(decision.error, PositionMissing)
    for word in ("earliest", "latest", "adopt", "A.t-0", "500"):
        assert word in decision.why


def test_no_position_with_a_choice() -> None:
    """The operator has decided."""
    earliest = decide(FACTS, PositionPolicy(position_missing="earliest"))
    latest = decide(FACTS, PositionPolicy(position_missing="latest"))
    adopt = decide(FACTS, PositionPolicy(position_missing="adopt"))
    assert isinstance(earliest, Seed)
    assert isinstance(latest, Seed)
    assert (earliest.offset, latest.offset) == (100, 1000)
    assert isinstance(adopt, Adopt)
    assert adopt.facts is FACTS


def test_target_lost_records() -> None:
    """The copy is shorter than what was committed with the position."""
    facts = replace(FACTS, ours=ours(300, target_offset=501))
    decision = decide(facts, POLICY)
    assert isinstance(decision, Park)
    assert isinstance(decision.error, TargetLostRecords)
    assert "lost its offsets 500 to 500" in decision.why
    assert isinstance(decide(facts, PositionPolicy(position_missing="adopt")), Adopt)


def test_recreated_topic() -> None:
    """The offsets of the old topic mean nothing in the new one."""
    facts = replace(FACTS, ours=ours(300, topic_id="old"))
    parked = decide(facts, POLICY)
    assert isinstance(parked, Park)
    assert isinstance(parked.error, TopicRecreated)
    assert "kmirror.topic.recreated = continue" in parked.why
    seeded = decide(facts, PositionPolicy(topic_recreated="continue"))
    assert isinstance(seeded, Seed)
    assert seeded.offset == 100


MARKED = OwnPosition(
    offset=300, metadata=PositionMetadata(target_offset=3, topic_id="new", target_recreated=True)
)


@pytest.mark.parametrize(
    "facts",
    [
        replace(FACTS, ours=ours(300), target_recreated=True),
        replace(FACTS, mm2=mm2(250), target_recreated=True),
        replace(
            FACTS,
            target_id="new",
            ours=OwnPosition(
                offset=300, metadata=PositionMetadata(target_offset=3, target_id="old")
            ),
        ),
        replace(FACTS, ours=MARKED),
        replace(EMPTY, ours=ours(300)),
        replace(EMPTY, mm2=SECOND_COPY, group_is_older=True),
    ],
)
def test_recreated_target(facts: PartitionFacts) -> None:
    """What was copied before is gone: going on behind it would be a gap that nobody sees."""
    for policy in (POLICY, PositionPolicy(position_missing="adopt")):
        parked = decide(facts, policy)
        assert isinstance(parked, Park)
        assert parked.kind == "target_recreated"
        assert parked.why.startswith("t-0: target topic A.t was deleted or made anew")
        assert "kmirror.position.missing = earliest" in parked.why
    for choice, offset in (("earliest", FACTS.log_start), ("latest", FACTS.log_end)):
        seeded = decide(facts, PositionPolicy(position_missing=choice))  # type: ignore[arg-type]  # one of its words
        assert isinstance(seeded, Seed)
        assert seeded.offset == offset


@pytest.mark.parametrize(
    "facts",
    [
        replace(EMPTY, ours=ours(300, target_offset=0)),
        replace(EMPTY, ours=OwnPosition(offset=300)),
        replace(EMPTY, mm2=SECOND_COPY),
    ],
)
def test_an_empty_target_that_was_never_written_to(facts: PartitionFacts) -> None:
    """Everything was left out or lies before the start; or a hand, or a lost group, says so."""
    decision = decide(facts, POLICY)
    assert isinstance(decision, Keep | Seed)
    assert decision.offset in {250, 300}


@pytest.mark.parametrize("facts", [replace(FACTS, ours=ours(60)), replace(FACTS, mm2=mm2(60))])
def test_data_gap(facts: PartitionFacts) -> None:
    """Retention was faster than we: never uncounted."""
    parked = decide(facts, POLICY)
    assert isinstance(parked, Park)
    assert isinstance(parked.error, DataGap)
    assert "60 to 99" in parked.why
    seeded = decide(facts, PositionPolicy(data_gap="continue"))
    assert isinstance(seeded, Seed)
    assert (seeded.offset, seeded.skipped) == (100, 40)


def test_truncated_log() -> None:
    """The source forgot records that we have copied."""
    facts = replace(FACTS, ours=ours(1001))
    parked = decide(facts, POLICY)
    assert isinstance(parked, Park)
    assert isinstance(parked.error, LogTruncated)
    assert "offsets 1000 to 1000" in parked.why
    seeded = decide(facts, PositionPolicy(log_truncated="continue"))
    assert isinstance(seeded, Seed)
    assert (seeded.offset, seeded.skipped, seeded.void_from) == (1000, 0, 1000)


@pytest.mark.parametrize(("kept", "resume"), [(600, 600), (40, 100), (-1, 100)])
def test_a_truncated_log_that_has_grown_again(kept: int, resume: int) -> None:
    """The offsets are there, but other records have them; the leader's epoch tells."""
    facts = replace(FACTS, ours=ours(900), source_kept=kept)
    parked = decide(facts, POLICY)
    assert isinstance(parked, Park)
    assert isinstance(parked.error, LogTruncated)
    assert f"others from {resume} to 999" in parked.why
    seeded = decide(facts, PositionPolicy(log_truncated="continue"))
    assert isinstance(seeded, Seed)
    assert (seeded.offset, seeded.void_from) == (resume, resume)


def test_a_log_that_is_still_the_same() -> None:
    """Its epoch reaches up to the position; of what went beyond it, it says nothing."""
    assert isinstance(decide(replace(FACTS, ours=ours(900), source_kept=900), POLICY), Keep)
    beyond = replace(FACTS, ours=ours(300), mm2=mm2(900), source_kept=300)
    assert isinstance(decide(beyond, POLICY), Seed)


@pytest.mark.parametrize("target_kept", [350, None])
def test_a_target_that_lost_records_and_has_grown_again(target_kept: int | None) -> None:
    """Whoever saw it says so, then or earlier: what is missing is named, and nothing is copied."""
    marked = PositionMetadata(target_offset=400, lost_from=None if target_kept else 350)
    position = OwnPosition(offset=300, metadata=marked)
    facts = replace(FACTS, ours=position, target_kept=target_kept, missing_from=260)
    parked = decide(facts, POLICY)
    assert isinstance(parked, Park)
    assert isinstance(parked.error, TargetLostRecords)
    assert "offsets 350 to 399" in parked.why
    assert "source offset 260 to 299" in parked.why
    seeded = decide(facts, PositionPolicy(position_missing="latest"))
    assert isinstance(seeded, Seed)
    assert (seeded.offset, seeded.void_from) == (1000, 260)
    adopt = decide(facts, PositionPolicy(position_missing="adopt"))
    assert isinstance(adopt, Adopt)
    assert adopt.offset_max == 300


def test_one_partition_does_not_stop_the_others() -> None:
    """Each is decided by itself, and every decision has words."""
    cases = [replace(FACTS, ours=ours(300)), replace(FACTS, mm2=mm2(300)), FACTS]
    plan = plan_positions(cases, lambda _topic: POLICY)
    assert (len(plan.keep), len(plan.seed), len(plan.park)) == (1, 1, 1)
    assert plan.needs_adoption == ()
    assert all(item.why for item in (*plan.keep, *plan.seed, *plan.park))


@pytest.mark.parametrize("facts", [replace(FACTS, mm2=mm2(1040)), replace(FACTS, ours=ours(1040))])
def test_a_position_in_an_open_transaction(facts: PartitionFacts) -> None:
    """MirrorMaker 2 had copied what is not committed yet; nothing is truncated, or copied twice."""
    decision = decide(replace(facts, high_watermark=1050), POLICY)
    assert isinstance(decision, Keep | Seed)
    assert decision.offset == 1040
    assert isinstance(decide(replace(facts, high_watermark=1030), POLICY), Park)


@pytest.mark.parametrize("mine", [None, ours(300), ours(300, topic_id="old")])
@pytest.mark.parametrize("recreated", [False, True])
def test_a_quarantine_comes_before_every_choice(mine: OwnPosition | None, recreated: bool) -> None:
    """Nothing that the file chooses copies to what a deleted topic has left behind."""
    facts = replace(FACTS, ours=mine, quarantine=HELD, target_recreated=recreated, made_way=True)
    eager = PositionPolicy(
        position_missing="earliest", topic_recreated="continue", data_gap="continue"
    )
    decision = decide(facts, eager)
    assert isinstance(decision, Park)
    assert (type(decision.error), decision.kind) == (TopicQuarantined, "quarantined")


def test_a_topic_whose_predecessor_made_way_begins_anew() -> None:
    """What is known of positions is the earlier topic's; of the target, too."""
    facts = replace(
        EMPTY,
        mm2=mm2(900, by_us=True),
        made_way=True,
        target_recreated=True,
        group_is_older=True,
        is_late=True,
    )
    decision = decide(facts, POLICY)
    assert isinstance(decision, Seed)
    assert decision.offset == FACTS.log_start
    assert isinstance(decide(replace(facts, made_way=False), POLICY), Park)


SHARED = replace(FACTS, shared=True)


def test_a_copy_that_others_write_to_begins_like_an_empty_one() -> None:
    """What it holds is theirs: at the flow's first start, and when a partition comes later."""
    for facts in (SHARED, replace(SHARED, group_is_older=True, is_late=True)):
        decision = decide(facts, POLICY)
        assert isinstance(decision, Seed)
        assert decision.offset == FACTS.log_start


def test_a_lost_position_beside_others_is_not_guessed() -> None:
    """Neither from what the copy holds, nor from its last records."""
    lost = replace(SHARED, group_is_older=True)
    for facts in (lost, replace(lost, mm2=mm2(300, by_us=True))):
        for choice in (POLICY, PositionPolicy(position_missing="adopt")):
            decision = decide(facts, choice)
            assert isinstance(decision, Park)
            assert isinstance(decision.error, PositionMissing)
