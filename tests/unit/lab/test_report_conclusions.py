"""What is said of runs: what their numbers say, and nothing about runs that are not there."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from kmirror_lab.duplicates.audit import audit
from kmirror_lab.duplicates.result import Conditions, Effect, Peer, Run
from kmirror_lab.report.conclusions import conclusions

from tests.support.duplicates_run import DOUBLED, counted, run_of

_SLOW = Conditions(asked="slow", request_timeout_ms=500, rate_bit_s=10**6, delay_s=0.05)
_OURS = Peer.KMIRROR


def said(*runs: Run) -> str:
    """Give all sentences, in English; those in Chinese are as many."""
    found = conclusions(runs)
    assert all(text.en and text.zh for text in found)
    assert all(re.search("[\u4e00-\u9fff]", text.zh) for text in found)
    return "\n".join(text.en for text in found)


def test_nothing_is_said_of_nothing() -> None:
    """Without runs there are no sentences."""
    assert conclusions([]) == []


def test_what_is_there_twice() -> None:
    """How often, where most, and what the producer's log says of it."""
    bad = run_of(counted(600, 400), timeouts=32)
    text = said(bad, run_of(counted(600, 100), scenario="less"), run_of(counted(1_000)))
    assert "MirrorMaker 2 wrote records twice in 2 of 3 runs. Most in `slow`: 400 of the " in text
    assert "the 1,000 records on the target are copies of others, 40 %." in text
    assert "gave up waiting for an answer 32 times, and sent 32 batches again" in text
    assert "MirrorMaker 1" not in text
    assert "kmirror" not in text
    assert "gave up" not in said(run_of(counted(600, 400)))
    fine = run_of(counted(1_000), peer=Peer.MIRROR_MAKER_1)
    assert "MirrorMaker 1 wrote no record twice in 1 run." in said(fine)


def test_death_and_disorder() -> None:
    """What had not arrived when the mirror died, and how many are out of order."""
    text = said(run_of(counted(600), died=True))
    assert "MirrorMaker 2 died in 1 of 1 run, and copies nothing more until" in text
    assert "In `slow` 400 of 1,000 records had not arrived" in text
    assert "out of order" not in text
    assert "out of order in 1 run, most in `slow`: 2." in said(
        run_of(audit(range(6), [2, 3, 0, 1, 4, 5]))
    )


def test_one_batch() -> None:
    """Its times and offsets; of the second try only what is known."""
    run = run_of(counted(600, 400), doubled=DOUBLED)
    text = said(run)
    assert "650 records in `slow`: they were sent at 0.06 s, given up after 557 ms, and " in text
    assert "sent again at 0.97 s." in text
    assert "offsets 1 to 650, seen at 1.40 s, and again at 651 to 1,300, seen at 2.53 s" in text
    text = said(replace(run, doubled=replace(DOUBLED, again_s=None)))
    assert "sent again. The" in text


def test_one_thing_that_differs() -> None:
    """With which values records are there twice, and with which not."""
    short, long = (replace(_SLOW, request_timeout_ms=ms) for ms in (500, 30_000))
    text = said(run_of(counted(600, 1), conditions=short), run_of(counted(1_000), conditions=long))
    assert "(16 KiB, 1mbit, delay 50ms), request time-out: records are there twice with " in text
    assert "with 500 ms; none with 30000 ms." in text
    dead = run_of(
        counted(10), conditions=replace(_SLOW, request_timeout_ms=100), died=True, scenario="x"
    )
    text = said(run_of(counted(1_000), conditions=long), dead)
    assert "time-out: none, but the task died, with 100 ms; none with 30000 ms." in text
    both = [run_of(counted(600, 1), conditions=each) for each in (short, long)]
    assert "twice with 500 ms and 30000 ms." in said(*both)
    both = [run_of(counted(1_000), conditions=each) for each in (short, long)]
    assert "time-out: none with 500 ms and 30000 ms." in said(*both)


def test_kmirror_is_told_of_like_the_others() -> None:
    """No harm is said when there was none, harm when there was, and how far it came."""
    text = said(run_of(counted(1_000), peer=_OURS), run_of(counted(200), peer=_OURS))
    assert (
        "kmirror: no record twice, none lost, none out of order, in 2 runs of 1 scenario." in text
    )
    assert "kmirror had copied 200 of 1,000 records in `slow` when time was up." in text
    text = said(run_of(counted(600, 7), peer=_OURS, died=True))
    assert "kmirror did harm in 1 of 1 run (`slow`): 7 records twice, 0 lost" in text
    assert "died 1 time, copied too little 0 times." in text
    assert "no record twice" not in text


def test_a_kmirror_that_stops_does_harm() -> None:
    """Where the link can carry the records, and where hardly any arrive, whatever it carries."""
    whole = run_of(counted(1_000), peer=_OURS, carried=True)
    text = said(
        whole, run_of(counted(900), peer=_OURS, carried=True), run_of(counted(20), peer=_OURS)
    )
    assert "kmirror did harm in 2 of 3 runs (`slow`): 0 records twice" in text
    assert "died 0 times, copied too little 2 times." in text
    assert "none lost" not in text
    assert "none lost" in said(whole)


def test_mirror_maker_that_stands_still_does_harm() -> None:
    """That it is slow is none."""
    ours = run_of(counted(1_000), peer=_OURS, conditions=_SLOW)
    still, slow = (run_of(counted(count), conditions=_SLOW, carried=True) for count in (20, 900))
    assert "MirrorMaker 2 did harm in each of 1 run" in said(ours, still)
    assert "did harm" not in said(ours, slow)


def test_speeds_on_the_same_link() -> None:
    """kmirror's slowest beside the best of MirrorMaker 2 that did no harm."""
    ours = [
        run_of(counted(1_000), peer=_OURS, conditions=_SLOW, records_per_s=rate)
        for rate in (600, 550)
    ]
    bad = run_of(counted(900, 100), conditions=_SLOW, records_per_s=900)
    good = run_of(counted(1_000), scenario="remedy", conditions=_SLOW, records_per_s=500)
    text = said(*ours, bad, good)
    assert "On the link `rate 1mbit, delay 50ms` kmirror copied 550 records/s; " in text
    assert "at its best without harm (`remedy`), 500: kmirror has 110 % of that." in text
    text = said(*ours, bad)
    assert "MirrorMaker 2 did harm in each of 1 run; kmirror copied everything without" in text
    late = run_of(counted(900), conditions=_SLOW)
    assert "On the link" not in said(*ours, bad, late)
    far = replace(good, conditions=replace(_SLOW, delay_s=0.1))
    assert "On the link" not in said(*ours, far)
    assert "On the link" not in said(bad, good)


@pytest.mark.parametrize("peer", [Peer.MIRROR_MAKER, Peer.KMIRROR])
def test_what_came_out_otherwise(peer: Peer) -> None:
    """It is not passed over."""
    run = run_of(counted(1_000, 5), peer=peer, wanted=set())
    assert f"otherwise than the scenario foretells in `slow` ({peer})." in said(run)
    run = run_of(counted(1_000), wanted={Effect.DIES})
    assert "otherwise than the scenario foretells in `slow` (mm2)." in said(run)
    assert "otherwise" not in said(run_of(counted(1_000), wanted=set()))
