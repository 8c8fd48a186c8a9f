"""Every kind of gap with everything that the file may say about it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kmirror.model import TopicPartition
from kmirror.plans.decisions import Adopt, Decision, Keep, Park, Renew, Seed
from kmirror.plans.gaps import Gap, GapKind
from kmirror.plans.position_facts import MM2Position, OwnPosition, PartitionFacts, PositionPolicy
from kmirror.plans.positions import decide
from kmirror.wire.position import PositionMetadata

FACTS = PartitionFacts(
    source=TopicPartition("t", 0),
    target=TopicPartition("A.t", 0),
    log_start=100,
    log_end=1000,
    target_end=500,
    topic_id="new",
    target_id="copy",
)


def ours(offset: int, *, target_offset: int = 400, topic_id: str = "new") -> OwnPosition:
    """Give a position of our own."""
    metadata = PositionMetadata(target_offset=target_offset, topic_id=topic_id)
    return OwnPosition(offset=offset, metadata=metadata)


OVERTAKEN = replace(FACTS, ours=ours(60))
TRUNCATED = replace(FACTS, ours=ours(900), source_kept=600)
RECREATED = replace(FACTS, ours=ours(300, topic_id="old"))
CUT = replace(FACTS, ours=ours(300), target_kept=350, missing_from=260)
GONE = replace(FACTS, ours=ours(300), target_recreated=True)
UNKNOWN = FACTS

CASES: list[tuple[PartitionFacts, str, GapKind, dict[str, int | None]]] = [
    (OVERTAKEN, "data_gap", GapKind.OVERTAKEN, {"fail": None, "continue": 100, "restart": 100}),
    (
        TRUNCATED,
        "log_truncated",
        GapKind.TRUNCATED,
        {"fail": None, "continue": 600, "restart": 100},
    ),
    (
        RECREATED,
        "topic_recreated",
        GapKind.RECREATED,
        {"fail": None, "continue": 100, "restart": 100},
    ),
    (
        CUT,
        "position_missing",
        GapKind.TARGET_LOST,
        {"fail": None, "continue": 300, "restart": 100, "earliest": 100, "latest": 1000},
    ),
    (
        GONE,
        "position_missing",
        GapKind.TARGET_LOST,
        {"fail": None, "adopt": None, "continue": 300, "restart": 100, "latest": 1000},
    ),
    (
        UNKNOWN,
        "position_missing",
        GapKind.POSITION_MISSING,
        # Nobody knows where it was.
        {"fail": None, "continue": None, "restart": 100, "earliest": 100, "latest": 1000},
    ),
]


def gap_of(decision: Decision) -> Gap:
    """Give the gap that a decision is about."""
    assert not isinstance(decision, Keep)
    assert decision.gap is not None
    return decision.gap


@pytest.mark.parametrize(
    ("facts", "key", "kind", "word", "offset"),
    [
        (facts, key, kind, word, offset)
        for facts, key, kind, words in CASES
        for word, offset in words.items()
    ],
)
def test_a_kind_and_a_reaction(
    facts: PartitionFacts, key: str, kind: GapKind, word: str, offset: int | None
) -> None:
    """It parks, or goes on exactly there; either way the gap is told with its kind and its word."""
    decision = decide(facts, PositionPolicy(**{key: word}))  # type: ignore[arg-type]  # its words
    gap = gap_of(decision)
    assert (gap.kind, gap.reaction) == (kind, word)
    if offset is None:
        assert isinstance(decision, Park)
    else:
        assert isinstance(decision, Seed)
        assert decision.offset == offset


@pytest.mark.parametrize(
    ("facts", "log", "start", "end", "records"),
    [
        (OVERTAKEN, "source", 60, 100, 40),
        (TRUNCATED, "source", 600, 900, 300),
        (replace(TRUNCATED, source_kept=-1), "source", 0, 900, 900),
        (RECREATED, "source", 300, None, None),
        (CUT, "target", 350, 400, 50),
        (GONE, "target", 0, 400, 400),
        (UNKNOWN, "source", 100, 1000, 900),
    ],
)
def test_from_to_and_how_many(
    facts: PartitionFacts, log: str, start: int, end: int | None, records: int | None
) -> None:
    """As far as anybody knows."""
    gap = gap_of(decide(facts, PositionPolicy()))
    assert (gap.log, gap.start, gap.end, gap.records) == (log, start, end, records)


@pytest.mark.parametrize(("facts", "key", "kind"), [case[:3] for case in CASES])
def test_a_new_generation(facts: PartitionFacts, key: str, kind: GapKind) -> None:
    """For every kind; the copy that is there stays as it is."""
    decision = decide(facts, PositionPolicy(**{key: "new-generation"}))  # type: ignore[arg-type]  # its words
    assert isinstance(decision, Renew)
    assert (decision.gap.kind, decision.gap.reaction) == (kind, "new-generation")


@pytest.mark.parametrize("reset", ["earliest", "latest"])
def test_a_new_generation_begins_at_the_first_record(reset: str) -> None:
    """Whatever auto.offset.reset says: it is to have all that the source has."""
    facts = replace(FACTS, target_end=0, generation=2)
    decision = decide(facts, PositionPolicy(auto_offset_reset=reset))  # type: ignore[arg-type]  # its words
    assert isinstance(decision, Seed)
    assert (decision.offset, decision.void_from, decision.gap) == (100, 0, None)


def test_going_on_from_the_second_copy() -> None:
    """Kafka removes a group's offsets with the topic; the second copy still knows the place."""
    copy = MM2Position(offset=300, written_by_us=True)
    facts = replace(FACTS, target_end=0, mm2=copy, group_is_older=True)
    decision = decide(facts, PositionPolicy(position_missing="continue"))
    assert isinstance(decision, Seed)
    assert decision.offset == 300


def test_adopting_tells_what_was_lost() -> None:
    """Also if the tails say in the end that nothing is missing."""
    decision = decide(CUT, PositionPolicy(position_missing="adopt"))
    assert isinstance(decision, Adopt)
    assert gap_of(decision).records == 50


@pytest.mark.parametrize("offset", [100, 300, 1000])
def test_holes_are_no_gaps(offset: int) -> None:
    """What compaction, markers and aborted records leave lies between offsets that both know."""
    assert isinstance(decide(replace(FACTS, ours=ours(offset)), PositionPolicy()), Keep)


def test_every_kind_has_its_key_and_its_metric() -> None:
    """Names are for programs: they stay."""
    assert {kind.metric for kind in GapKind} == {
        "kmirror_gap_overtaken_records",
        "kmirror_gap_truncated_records",
        "kmirror_gap_recreated_records",
        "kmirror_gap_target_lost_records",
        "kmirror_gap_position_missing_records",
    }
    assert GapKind.TRUNCATED.key == "kmirror.log.truncated"
