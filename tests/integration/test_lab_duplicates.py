"""The duplicates laboratory: MirrorMaker 2 doubles records, kmirror does not, nothing stays."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from kmirror_lab.duplicates import Peer, Run, runs_from_json
from kmirror_lab.net import NetLab
from kmirror_lab.net.namespace import exists
from kmirror_lab.process.waiting import wait_until

from tests.support.namespaces import needs_namespaces

pytestmark = [
    pytest.mark.kafka,
    pytest.mark.spark,
    needs_namespaces,
]

_COMMAND = "from kmirror_lab.cli.lab import app; app(prog_name='kmirror lab')"
_RECORDS = 6_000
# A tenth of the line is what `slow-link-large-batches` has of its own.
_SHARED = """
says = others take nine tenths of a line of 10 Mbit/s, and records have no keys
mm2 = duplicated, dies
keys = no
records = 6000
at.0s = set rate 10mbit delay 50ms
at.0s = traffic 9
mirror.us-east-2.producer.request.timeout.ms = 500
mirror.us-east-2.producer.retries = 1
mirror.us-east-2.producer.batch.size = 131072
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder in which temporary ones are made."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    return place


def command(*arguments: str | Path) -> list[str]:
    """Write `kmirror lab duplicates` with *arguments*."""
    return [sys.executable, "-c", _COMMAND, "duplicates", *map(str, arguments)]


def processes_in(folder: Path) -> list[str]:
    """Give the command lines in which *folder* is named."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_text(errors="replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(folder) in words:
            found.append(words)
    return found


def test_mirror_maker_doubles_and_kmirror_does_not(tmp_path: Path, temporary: Path) -> None:
    """The customer's settings and large batches on a line that others fill, both mirrors."""
    results, shared = tmp_path / "results.json", tmp_path / "shared.properties"
    shared.write_text(_SHARED)
    done = subprocess.run(
        command(
            *("--scenario", shared, "--json", results, "--logs", tmp_path / "logs"),
            *("--peer", "mm2", "--peer", "kmirror"),
        ),
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    mm2, ours = json.loads(results.read_text())["runs"]
    assert (mm2["peer"], ours["peer"]) == ("mm2", "kmirror")
    assert mm2["audit"]["duplicated"] > 500
    assert mm2["timeouts"] > 0
    assert mm2["died"]
    audit = ours["audit"]
    assert (audit["duplicated"], audit["lost"], audit["reordered"]) == (0, 0, 0)
    assert audit["distinct"] == audit["produced"] == _RECORDS
    assert not ours["died"]
    for run in runs_from_json(results.read_text(), results.name):
        given = run.conditions
        assert (given.request_timeout_ms, given.batch_bytes) == (500, 131072)
        assert (given.streams, given.keys) == (9, False)
        last = run.course[-1]
        assert last.counts == (run.audit.produced, run.audit.mirrored, run.audit.distinct)
        follows_one_batch(run)
    logs = {path.name for path in (tmp_path / "logs").iterdir()}
    assert "shared-mm2-mirror-mirror-maker.log" in logs
    assert list(temporary.iterdir()) == []
    assert processes_in(temporary) == []


def follows_one_batch(run: Run) -> None:
    """Of MirrorMaker 2's batch the log and the target tell the same; kmirror has none."""
    one = run.doubled
    assert (one is None) == (run.peer is Peer.KMIRROR)
    if one is None:
        return
    assert one.records == one.first[1] - one.first[0] + 1 == one.second[1] - one.second[0] + 1
    assert one.first[1] < one.second[0]
    assert one.sent_s < one.timed_out_s < one.second_seen_s
    if one.again_s is not None:  # the log tells only of a second request that was given up, too
        assert one.timed_out_s < one.again_s < one.second_seen_s
    assert one.sent_s < one.first_seen_s < one.second_seen_s
    assert one.timed_out_s - one.sent_s >= 0.5
    assert "Disconnecting from node 1 due to request timeout" in one.words[0]


@pytest.mark.long
@pytest.mark.parametrize(
    "scenario",
    [
        "delay-jumps",
        "evening-surge",
        "jitter",
        "large-bucket",
        "without-idempotence",
        "without-keys",
    ],
)
def test_the_rest_of_the_story(scenario: str, tmp_path: Path) -> None:
    """Every mirror does what is foretold of it, with fewer records."""
    results = tmp_path / f"{scenario}.json"
    done = subprocess.run(
        command("--scenario", scenario, "--records", str(_RECORDS), "--json", results),
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    runs = runs_from_json(results.read_text(), results.name)
    assert [run.peer for run in runs] == list(Peer)
    assert all(run.as_expected and run.wanted is not None for run in runs)
    assert runs[-1].complete


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_outlives_it(temporary: Path, number: signal.Signals) -> None:
    """Ended while the mirror starts: no namespace, and no process."""
    with subprocess.Popen(
        command("--scenario", "baseline", "--peer", "mm2"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as running:
        wait_until(
            lambda: any(temporary.rglob("mirror-maker.log")),
            "the mirror was launched",
            timeout_s=90,
        )
        (folder,) = temporary.iterdir()
        net = NetLab.at(folder)
        assert all(map(exists, net.names))
        running.send_signal(number)
        running.wait(60)
    assert running.returncode != 0
    wait_until(lambda: not any(map(exists, net.names)), "no namespaces", timeout_s=30)
    wait_until(lambda: not processes_in(temporary), "no processes", timeout_s=30)


def test_what_cannot_be_played() -> None:
    """A name that is no scenario's ends it before anything is made."""
    done = subprocess.run(
        command("--scenario", "absent"), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "there are answers-cut" in done.stderr
