"""The unit: its command, its exit codes and its time are kmirror's, and systemd takes it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kmirror.cli import ending
from kmirror.cli.exits import Exit
from kmirror.pipeline.launch import heap_mib
from kmirror.runtime import host_options
from tests.support.deploy import DEPLOY, OVERHEAD_MIB, ROOT, mib, parse

UNIT = DEPLOY / "systemd" / "kmirror@.service"
PROGRAM = "/opt/kmirror/bin/kmirror"
# systemd's own scale of what a service could do, in tenths: 0 is nothing, 100 is everything.
_EXPOSURE_MAX = 20

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed"
)


def value(name: str) -> str:
    """Give what the unit says of *name*."""
    lines = UNIT.read_text(encoding="utf-8").splitlines()
    (found,) = (line.partition("=")[2] for line in lines if line.startswith(f"{name}="))
    return found


def test_its_command_is_kmirrors() -> None:
    """The instance names the file."""
    program, *words = value("ExecStart").split()
    assert program == PROGRAM
    assert str(parse(words)["file"]) == "/etc/kmirror/%i.properties"


def test_what_must_not_be_restarted() -> None:
    """A wrong file stays wrong, and two drivers would take turns."""
    assert value("Restart") == "on-failure"
    stays = {int(code) for code in value("RestartPreventExitStatus").split()}
    assert stays == {Exit.CONFIG, Exit.FENCED}


def test_a_reload_ends_nothing() -> None:
    """A driver that does not listen to it yet dies of it: for systemd alone, in good order."""
    assert value("ExecReload") == "/bin/kill -HUP $MAINPID"
    assert value("RestartForceExitStatus").split() == ["SIGHUP"]


def test_it_waits_for_the_end() -> None:
    """`kmirror run` ends by itself before systemd kills it."""
    assert int(value("TimeoutStopSec")) > ending._END_S_MAX


def test_there_is_memory() -> None:
    """For the heap that kmirror asks for with two flows that have all slots of the default."""
    slots = 2 * host_options._SLOTS_DEFAULT_MAX
    assert mib(value("MemoryMax")) == heap_mib(slots) + OVERHEAD_MIB


def test_the_page_says_how_much_memory_is_needed() -> None:
    """Its formula is the code's, and its example the unit's."""
    text = " ".join((ROOT / "docs" / "deploy.md").read_text(encoding="utf-8").split())
    found = re.search(
        r"`MemoryMax` is (\d+) MiB, enough for (\d+) slots.*"
        r"it is (\d+) MiB and (\d+) MiB for each slot",
        text,
    )
    assert found is not None
    limit, slots, base, each = map(int, found.groups())
    assert limit == mib(value("MemoryMax")) == heap_mib(slots) + OVERHEAD_MIB
    assert base == heap_mib(0) + OVERHEAD_MIB
    assert each == heap_mib(1) - heap_mib(0)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Give the unit of an instance, with a program that is here."""
    text = UNIT.read_text(encoding="utf-8")
    file = tmp_path / "kmirror@mm2.service"
    file.write_text(text.replace(PROGRAM, "/bin/true"))
    return file


@needs_systemd
def test_systemd_takes_it(installed: Path) -> None:
    """It knows every line."""
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(installed)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    said = [line for line in done.stderr.splitlines() if installed.name in line]
    assert (done.returncode, said) == (0, [])


@needs_systemd
def test_it_can_do_little(installed: Path) -> None:
    """Of what systemd can take away, next to all is."""
    options = ["--offline=yes", f"--threshold={_EXPOSURE_MAX}"]
    done = subprocess.run(
        ["systemd-analyze", "security", *options, str(installed)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
