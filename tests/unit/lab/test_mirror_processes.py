"""A mirror's processes, played by a shell that has a child: started, ended, killed, quoted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from kmirror_lab.cluster.mirror import Mirror, kmirror_run
from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.session import members
from kmirror_lab.process.waiting import wait_until

from kmirror.errors import EnvironmentProblem

_ENDS_S_MAX = 30.0
# The shell says that it runs, and waits for a child, which does not mind SIGTERM.
_WITH_CHILD = 'sh -c \'trap "" TERM; sleep 600 & wait; wait\' & echo "runs $WHO"; wait'


@pytest.fixture
def mirror(tmp_path: Path) -> Iterator[Mirror]:
    command = ("/bin/sh", "-c", _WITH_CHILD)
    log = tmp_path / "mirror" / "log"
    with Mirror("the mirror", lambda: command, log=log, environ={"WHO": "well"}) as made:
        yield made


def leader_of(mirror: Mirror) -> ProcessId:
    """Start it, and wait until its child is there."""
    lines = mirror.log_text().count("runs well")
    mirror.start()
    leader = mirror.process
    wait_until(
        lambda: mirror.log_text().count("runs well") > lines and len(members(leader)) >= 3,
        "the child is there",
        timeout_s=_ENDS_S_MAX,
    )
    return leader


@pytest.mark.parametrize("end", [Mirror.kill, Mirror.stop])
def test_none_of_its_processes_is_left(mirror: Mirror, end: Callable[[Mirror], None]) -> None:
    """A child that does not end with the first process is killed; then it can start again."""
    for _ in range(2):
        leader = leader_of(mirror)
        assert mirror.running()
        end(mirror)
        assert not members(leader)
        assert not mirror.running()
        assert not mirror.has_ended(), "it was ended from here"
    assert mirror.log_text() == "runs well\nruns well\n", "the log goes on"


def test_it_does_not_start_twice(mirror: Mirror) -> None:
    """A second process would write what the first one writes."""
    leader = leader_of(mirror)
    with pytest.raises(EnvironmentProblem, match="the mirror runs already"):
        mirror.start()
    assert mirror.process == leader


def test_its_end_is_told_with_its_last_lines(tmp_path: Path) -> None:
    """Of a long log, the last fifteen."""
    command = ("/bin/sh", "-c", "for i in $(seq 100); do echo line $i; done; exit 1")
    with Mirror("the mirror", lambda: command, log=tmp_path / "log") as mirror:
        assert not mirror.has_ended(), "it was never started"
        mirror.start()
        wait_until(mirror.has_ended, "it has ended", timeout_s=_ENDS_S_MAX)
        with pytest.raises(EnvironmentProblem) as caught:
            mirror.check()
    lines = [f"line {number}" for number in range(86, 101)]
    assert caught.value.message == "\n".join(["the mirror ended:", *lines])


def test_kmirror_gets_its_file_options_and_temporary_folder(tmp_path: Path) -> None:
    """What it leaves behind when it is killed goes with the folder."""
    program = ("/bin/sh", "-c", 'echo "$@"; echo "$TMPDIR $SPARK_LOCAL_DIRS $MORE"; cat "$2"', "sh")
    mirror = kmirror_run(
        "clusters = A, B\n",
        tmp_path / "mirror",
        program=program,
        options=("--once",),
        environ={"MORE": "more"},
    )
    with mirror:
        mirror.start()
        wait_until(mirror.has_ended, "it has ended", timeout_s=_ENDS_S_MAX)
    folder, temporary = tmp_path / "mirror", tmp_path / "mirror" / "tmp"
    assert temporary.is_dir()
    assert mirror.log_text().splitlines() == [
        f"run {folder}/mm2.properties --once",
        f"{temporary} {temporary} more",
        "clusters = A, B",
    ]
