"""What is said of runs with one thing and without it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from kmirror_lab.duplicates import find_scenario, varied, with_records
from kmirror_lab.duplicates.conditions import conditions_of
from kmirror_lab.duplicates.result import Conditions, Peer, Run
from kmirror_lab.report.pairs import with_and_without

from tests.support.duplicates_run import counted, run_of

_BARE = Conditions(asked="slow", rate_bit_s=10**6, lines=("us-east-2.producer.retries = 1",))
_IDEMPOTENCE = "us-east-2.producer.enable.idempotence = {}"


def said(*runs: Run) -> list[str]:
    """Give all sentences, in English."""
    return [text.en for text in with_and_without(runs)]


def given(name: str, *changes: tuple[str, str]) -> Conditions:
    """Give what a scenario of ours does, with so much changed."""
    scenario = with_records(find_scenario(name), 1_000)
    for key, value in changes:
        scenario = varied(scenario, key, value)
    return conditions_of(scenario)


def test_keys() -> None:
    """They are no help where records are there twice in spite of them."""
    bad, less = counted(600, 400), counted(600, 300)
    bare = replace(_BARE, keys=False)
    assert said(run_of(bad, conditions=_BARE), run_of(less, scenario="b", conditions=bare)) == [
        "Keys do not help: MirrorMaker 2 wrote 400 records twice (`slow`) with keys, "
        "and 300 records twice (`b`) without."
    ]
    assert said(run_of(counted(1_000), conditions=_BARE), run_of(less, conditions=bare)) == []
    assert said(run_of(bad, conditions=_BARE), run_of(less, conditions=_BARE)) == []


def test_idempotence() -> None:
    """Said aloud or left out, it is off; what the mirror's end was is said, too."""
    off, on = (
        replace(_BARE, lines=(*_BARE.lines, _IDEMPOTENCE.format(value)))
        for value in ("false", "true")
    )
    safe = run_of(counted(600), scenario="safe", conditions=on, died=True)
    for other in (off, _BARE):
        bad = run_of(counted(600, 1), conditions=other)
        assert said(bad, safe) == [
            "MirrorMaker 2, all else the same: with an idempotent producer it wrote no record "
            "twice (`safe`) and died; without, 1 record twice (`slow`)."
        ]
    assert said(safe, run_of(counted(600), conditions=off)) == []


@pytest.mark.parametrize(
    ("having", "lacking", "what"),
    [
        (given("jitter"), given("jitter", ("jitter", "0")), "jitter"),
        (given("evening-surge"), given("evening-surge", ("traffic", "0")), "others' traffic"),
        (given("delay-jumps"), given("far-link"), "a delay that jumps"),
        (given("large-bucket"), given("slow-link-large-batches"), "a bucket that was set"),
        (given("remedy-idempotence"), given("without-idempotence"), "an idempotent producer"),
    ],
)
def test_ours_have_their_counterparts(having: Conditions, lacking: Conditions, what: str) -> None:
    """With as many records they differ in that alone."""
    runs = [
        run_of(counted(900, copies), conditions=each, peer=Peer.MIRROR_MAKER_1)
        for each, copies in ((lacking, 20), (having, 10))
    ]
    (text,) = said(*runs)
    assert text.startswith(f"MirrorMaker 1, all else the same: with {what}")
    assert text.index("10 records twice") < text.index("; without, 20 records twice")
    # Another mirror's run, or one of other records, is no counterpart.
    assert said(replace(runs[0], peer=Peer.MIRROR_MAKER), runs[1]) == []
    assert said(replace(runs[0], audit=counted(90, 20, produced=100)), runs[1]) == []


def test_records_without_keys_have_their_counterpart() -> None:
    """They differ in their keys alone."""
    having, lacking = given("slow-link-large-batches"), given("without-keys")
    assert len(said(*(run_of(counted(900, 1), conditions=each) for each in (having, lacking)))) == 1
