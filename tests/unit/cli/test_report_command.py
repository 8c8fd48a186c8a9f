"""`kmirror report` without a driver, and the file that it reads."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from kmirror.cli.observing import observed
from kmirror.cli.servers import Servers
from kmirror.config.console import NO_CONSOLE
from kmirror.config.metrics import NO_METRICS
from kmirror.events.emit import Occurrence, subscribed
from kmirror.events.run_record import RUN_UNRECORDED
from kmirror.model import Flow
from kmirror.runtime.driver import Driver
from kmirror.state.observed import ObservedFlow
from tests.support.commands import report
from tests.support.synthetic_flow import running_flow


class _Host:
    """What of a driver is looked at."""

    def observed(self) -> Sequence[ObservedFlow]:
        return (running_flow(Flow("A", "B"), topics=2, partitions=1),)

    def jvm(self) -> None:
        return None


class _Driver:
    host = _Host()


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the file of a run that has ended."""
    path = tmp_path_factory.mktemp("run") / "run.json"
    with observed(Servers(NO_METRICS, NO_CONSOLE), cast("Driver", _Driver()), path):
        pass
    return path


def test_a_run_is_written_down_in_the_end(run: Path) -> None:
    """Whole, and nothing lies beside it."""
    (flow,) = json.loads(run.read_text(encoding="utf-8"))["flows"]
    assert [topic["topic"] for topic in flow["topics"]] == ["topic-0000", "topic-0001"]
    assert flow["samples"]
    assert list(run.parent.iterdir()) == [run]


def test_the_page_of_a_file(run: Path, tmp_path: Path) -> None:
    """No driver is asked."""
    page = tmp_path / "run.html"
    answer = report(run, "--html", str(page))
    assert answer.code == 0, answer.text
    assert "Topics of A-&gt;B" in page.read_text(encoding="utf-8")


def test_what_is_no_run(tmp_path: Path) -> None:
    """The file is named, with what was expected."""
    path = tmp_path / "run.json"
    path.write_text("{}", encoding="utf-8")
    answer = report(path, "--json")
    assert (answer.code, "expected what `kmirror run --record` wrote" in answer.text) == (2, True)
    assert report(tmp_path / "absent", "--json").code == 2
    assert report(path).code == 2


@pytest.mark.parametrize(
    ("field", "value"), [("at_ms", "soon"), ("at_ms", 10**30), ("records", "many")]
)
def test_what_somebody_has_changed(run: Path, tmp_path: Path, field: str, value: object) -> None:
    """It has the form of a run, and values that are none."""
    told = json.loads(run.read_text(encoding="utf-8"))
    sample = told["flows"][0]["samples"][-1]
    told["flows"][0]["samples"].append(sample | {field: value})
    told["at_ms"] = value if field == "at_ms" else told["at_ms"]
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    answer = report(path, "--json")
    assert (answer.code, "expected what `kmirror run --record` wrote" in answer.text) == (2, True)


def test_a_run_that_cannot_be_written_down_in_the_end(tmp_path: Path) -> None:
    """Its folder is gone: that is told, and nothing else ends with it."""
    folder = tmp_path / "gone"
    folder.mkdir()
    seen: list[Occurrence] = []
    servers = Servers(NO_METRICS, NO_CONSOLE)
    with (
        subscribed(seen.append),
        observed(servers, cast("Driver", _Driver()), folder / "run.json"),
    ):
        folder.rmdir()
    assert RUN_UNRECORDED in [each.event for each in seen]
