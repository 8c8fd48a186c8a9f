"""Runs as a file: written, read again, and what is said of a file that is none."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kmirror_lab.duplicates.duplicated_batch import DuplicatedBatch
from kmirror_lab.duplicates.result import Conditions, Effect, Peer
from kmirror_lab.duplicates.runs_file import runs_from_json, to_json

from kmirror.errors import ConfigError
from tests.support.duplicates_run import DOUBLED, counted, run_of

_TIMES = st.floats(0, 1000, allow_nan=False)


@settings(deadline=None)  # a busy machine is no failure
@given(
    peer=st.sampled_from(Peer),
    wanted=st.none() | st.sets(st.sampled_from(Effect)),
    conditions=st.builds(Conditions, asked=st.text()),
    doubled=st.none()
    | st.builds(
        DuplicatedBatch,
        sent_s=_TIMES,
        timed_out_s=_TIMES,
        again_s=st.none() | _TIMES,
        gave_up_s=st.none() | _TIMES,
        first_seen_s=_TIMES,
        second_seen_s=_TIMES,
    ),
    died=st.booleans(),
    timeouts=st.none() | st.integers(0),
)
def test_what_is_written_is_read(
    *,
    peer: Peer,
    wanted: set[Effect] | None,
    conditions: Conditions,
    doubled: DuplicatedBatch | None,
    died: bool,
    timeouts: int | None,
) -> None:
    """Every value of every run."""
    run = run_of(
        counted(900, 20),
        peer=peer,
        wanted=wanted,
        conditions=conditions,
        doubled=doubled,
        died=died,
        timeouts=timeouts,
    )
    assert runs_from_json(to_json([run, run]), "runs.json") == [run, run]


def test_runs_of_before_are_read() -> None:
    """They do not tell whether the link could carry the records: nothing is demanded of them."""
    run = run_of(counted(900), peer=Peer.KMIRROR, wanted=set(), carried=True)
    document = json.loads(to_json([run]))
    assert not document["runs"][0]["as_expected"]
    del document["runs"][0]["carried"]
    (old,) = runs_from_json(json.dumps(document), "runs.json")
    assert old == replace(run, carried=False)
    assert old.as_expected


def _changed(path: str, value: object) -> str:
    """Write a good file, and one value of it changed."""
    document = json.loads(to_json([run_of(counted(10, 5), doubled=DOUBLED)]))
    *way, last = path.split(".")
    place = document
    for name in way:
        place = place[int(name)] if name.isdecimal() else place[name]
    place[last] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "this is no JSON"),
        ("[1]", "these are no runs"),
        ('{"runs": 3}', "these are no runs"),
        ('{"runs": []}', "version: it is 1, and must be 2"),
        (_changed("version", 3), "it is 3, and must be 2"),
        (_changed("runs", [5]), r"runs\[0\]: Input should be an object"),
        (_changed("runs.0.peer", "mm3"), r"runs\[0\].peer: .* 'mm2', 'mm1' or 'kmirror'"),
        (_changed("runs.0.peer", []), r"runs\[0\].peer: .* 'mm2'"),
        (_changed("runs.0.audit.mirrored", "many"), r"audit.mirrored: .* a valid integer"),
        (_changed("runs.0.audit.mirrored", True), r"audit.mirrored: .* a valid integer"),
        (_changed("runs.0.seconds", None), r"runs\[0\].seconds: .* a valid number"),
        (_changed("runs.0.seconds", float("nan")), "this is no JSON"),
        (_changed("runs.0.died", 1), r"died: .* a valid boolean"),
        (_changed("runs.0.effects", "none"), r"effects: .* a valid array"),
        (_changed("runs.0.wanted", ["explodes"]), r"wanted\[0\]: .* 'duplicated'"),
        (_changed("runs.0.course", [7]), r"course\[0\]: Input should be an object"),
        (_changed("runs.0.doubled.first", [1]), r"doubled.first\[1\]: Field required"),
        (_changed("runs.0.conditions", {}), r"conditions.asked: Field required"),
        (_changed("runs.0.colour", "red"), r"runs\[0\].colour: Unexpected"),
        (_changed("runs.0.audit.as_expected", True), r"audit.as_expected: Unexpected"),
    ],
)
def test_something_else_is_refused(text: str, expected: str) -> None:
    """With the place, and what would be right."""
    with pytest.raises(ConfigError, match=expected) as caught:
        runs_from_json(text, "runs.json")
    assert "runs.json" in str(caught.value)
    assert "kmirror lab duplicates --json" in str(caught.value)


def test_the_command() -> None:
    """What is typed to have it again; words that a shell would take apart are quoted."""
    conditions = Conditions(asked="slow", changes=(("rate", "1mbit"), ("mirror.x", "a b")))
    run = run_of(counted(1), conditions=conditions)
    assert run.command == (
        "sudo kmirror lab duplicates --peer mm2 --scenario slow --vary rate=1mbit "
        "--vary 'mirror.x=a b'"
    )
    assert not run.complete
    assert replace(run, audit=counted(1_000)).complete
