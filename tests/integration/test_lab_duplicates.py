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
    """The customer's settings and large batches on a slow link, both mirrors."""
    results = tmp_path / "results.json"
    done = subprocess.run(
        command(
            *("--scenario", "slow-link-large-batches", "--records", str(_RECORDS)),
            *("--peer", "mm2", "--peer", "kmirror", "--json", results, "--logs", tmp_path / "logs"),
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
        assert (run.conditions.request_timeout_ms, run.conditions.batch_bytes) == (500, 131072)
        last = run.course[-1]
        assert last.counts == (run.audit.produced, run.audit.mirrored, run.audit.distinct)
        follows_one_batch(run)
    logs = {path.name for path in (tmp_path / "logs").iterdir()}
    assert "slow-link-large-batches-mm2-mirror-mirror-maker.log" in logs
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
    assert one.again_s is not None
    assert one.sent_s < one.timed_out_s < one.again_s < one.second_seen_s
    assert one.sent_s < one.first_seen_s < one.second_seen_s
    assert one.timed_out_s - one.sent_s >= 0.5
    assert "Disconnecting from node 1 due to request timeout" in one.words[0]


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
