"""Reloads, with a driver that only notes what it was told."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kmirror_lab.process.waiting import wait_until

from kmirror.clock import SystemClock
from kmirror.config.changes import ConfigChanges
from kmirror.config.load import MirrorConfig, load
from kmirror.errors import Problem
from kmirror.runtime.file_watch import FileWatch
from kmirror.runtime.reloads import Reloads
from kmirror.wire.control_orders import Author, Reloaded, ReloadOrder, ReloadOutcome
from tests.support.mirror_files import BASE

_S_MAX = 20.0


class Noted:
    """A driver, and the file that it runs."""

    def __init__(self, folder: Path, text: str = "") -> None:
        self.path = folder / "mm2.properties"
        self.applied: list[ConfigChanges] = []
        self.problems: tuple[Problem, ...] = ()
        self.lack = ""
        self.surprise: Exception | None = None
        self.write(text)
        self.reloads = Reloads(
            self._read(), self, read=self._read, driver="here:1", clock=SystemClock()
        )

    def write(self, text: str) -> None:
        """Write the file anew: four good lines, and these."""
        self.path.write_text(BASE + text, encoding="utf-8")

    def check(self, config: MirrorConfig) -> tuple[Problem, ...]:  # noqa: ARG002
        return self.problems

    def lack_for(self, config: MirrorConfig) -> str:  # noqa: ARG002
        return self.lack

    def apply(self, config: MirrorConfig, found: ConfigChanges) -> tuple[str, ...]:  # noqa: ARG002
        self.applied.append(found)
        if self.surprise is not None:
            raise self.surprise
        return ()

    def order(self, number: str, *, dry_run: bool = False) -> Reloaded:
        """Order a reload, and wait for the answer."""
        author = Author(by="me", at_ms=1)
        order = ReloadOrder(number=number, author=author, dry_run=dry_run)
        with self.running():
            wait_until(lambda: self.reloads.ask(order) is not None, "an answer", timeout_s=_S_MAX)
        answer = self.reloads.ask(order)
        assert answer is not None
        return answer

    @contextmanager
    def running(self) -> Iterator[None]:
        """Let reloads run."""
        over = threading.Event()
        thread = threading.Thread(target=self.reloads.run, args=(over,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join(_S_MAX)

    def _read(self) -> MirrorConfig:
        return load(self.path, environ={})


def test_what_differs_is_applied_once(tmp_path: Path) -> None:
    """The same order, by the way of another flow, is no second reload."""
    noted = Noted(tmp_path)
    noted.write("topics = orders\n")
    answer = noted.order("1")
    assert answer.outcome is ReloadOutcome.APPLIED
    assert answer.driver == "here:1"
    assert noted.order("1") == answer
    assert len(noted.applied) == 1
    assert noted.order("2").outcome is ReloadOutcome.UNCHANGED


def test_a_dry_run_changes_nothing(tmp_path: Path) -> None:
    noted = Noted(tmp_path)
    noted.write("topics = orders\n")
    answer = noted.order("1", dry_run=True)
    assert answer.outcome is ReloadOutcome.PLANNED
    assert answer.lines == ("A->B: changed while it copies: topics: .* -> orders",)
    assert not noted.applied
    assert noted.order("2").outcome is ReloadOutcome.APPLIED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("kmirror.slots = many\n", "kmirror.slots"),
        ("kmirror.spark.executor.memory = 2g\n", "needs a restart of the driver"),
    ],
)
def test_a_file_that_cannot_be_run_changes_nothing(tmp_path: Path, text: str, words: str) -> None:
    """Neither what is wrong, nor what is right beside it."""
    noted = Noted(tmp_path)
    noted.write(f"topics = orders\n{text}")
    answer = noted.order("1")
    assert answer.outcome is ReloadOutcome.REFUSED
    assert words in "\n".join(answer.lines)
    assert not noted.applied


def test_what_spark_and_the_machine_do_not_take_is_refused(tmp_path: Path) -> None:
    noted = Noted(tmp_path)
    noted.write("topics = orders\n")
    noted.problems = (Problem(where="f:1", key="k", value="v", expected="expected SQL"),)
    assert "expected SQL" in "\n".join(noted.order("1").lines)
    noted.problems, noted.lack = (), "there is room for 4 slots, and 9 would be needed"
    assert "needs a restart of the driver" in "\n".join(noted.order("2").lines)
    assert not noted.applied


def test_what_nobody_foresaw_is_answered(tmp_path: Path) -> None:
    """And whoever comes next is served."""
    noted = Noted(tmp_path)
    noted.write("topics = orders\n")
    noted.surprise = RuntimeError("odd")
    answer = noted.order("1")
    assert answer.outcome is ReloadOutcome.REFUSED
    assert answer.lines[0] == "unexpected: RuntimeError('odd')"
    assert "restart the driver" in answer.lines[1]
    noted.surprise = None
    noted.write("topics = quotes\n")
    assert noted.order("2").outcome is ReloadOutcome.APPLIED


def test_a_signal_reloads(tmp_path: Path) -> None:
    noted = Noted(tmp_path)
    noted.write("topics = orders\n")
    noted.reloads.signal()
    with noted.running():
        wait_until(lambda: len(noted.applied) == 1, "the reload", timeout_s=_S_MAX)


def test_by_itself_only_where_the_file_says_so(tmp_path: Path) -> None:
    """Also a file that a provider reads."""
    value = tmp_path / "values"
    value.write_text("topics=a\n", encoding="utf-8")
    text = (
        "config.providers = file\n"
        "config.providers.file.class = org.apache.kafka.common.config.provider.FileConfigProvider\n"
        f"config.providers.file.param.allowed.paths = {tmp_path}\n"
        "config.action.reload = restart\n"
        f"topics = ${{file:{value}:topics}}\n"
    )
    noted = Noted(tmp_path, text)
    value.write_text("topics=another\n", encoding="utf-8")
    with noted.running():
        wait_until(lambda: len(noted.applied) == 1, "the reload", timeout_s=_S_MAX)
    hidden = "topics: changed, from [hidden] to another [hidden]"
    assert noted.applied[0].lines == (f"A->B: changed while it copies: {hidden}",)


def test_a_file_that_is_being_written_is_waited_for(tmp_path: Path) -> None:
    """Two looks have to find the same."""
    file = tmp_path / "file"
    file.write_text("a", encoding="utf-8")
    watch = FileWatch([file])
    assert not watch.has_changed()
    file.write_text("ab", encoding="utf-8")
    assert not watch.has_changed()
    file.write_text("abc", encoding="utf-8")
    assert not watch.has_changed()
    assert watch.has_changed()
    assert not watch.has_changed()


def test_a_link_that_points_elsewhere_is_a_change(tmp_path: Path) -> None:
    """So secrets are exchanged that are mounted into a container; a file may also be away."""
    one, other, link = tmp_path / "1", tmp_path / "2", tmp_path / "link"
    for file in (one, other):
        file.write_text("same", encoding="utf-8")
    link.symlink_to(one)
    watch = FileWatch([link])
    link.unlink()
    link.symlink_to(other)
    assert not watch.has_changed()
    assert watch.has_changed()
    link.unlink()
    watch.has_changed()
    assert watch.has_changed()
    watch.renew()
    assert not watch.has_changed()
