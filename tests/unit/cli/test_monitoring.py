"""What docs/monitoring.md says of `kmirror status --json`, and its check, against the answers."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kmirror.admin.owner_entry import OwnerEntry
from kmirror.cli.status import plain
from kmirror.errors import ClusterUnavailable
from kmirror.inspect.gone_copies import GoneCopy
from kmirror.inspect.overview import FlowOverview, TopicOverview
from kmirror.inspect.standing import Standing
from kmirror.model import Flow, TopicPartition
from kmirror.plans.coverage import Coverage
from kmirror.plans.topic_settings import SettingChange
from kmirror.plans.topics import TopicProblem
from kmirror.policy.lag_verdicts import FlowJudgement, SloVerdict
from kmirror.policy.unmatched import Unmatched
from kmirror.state.status import ParkedPartition, PausedPartition
from kmirror.state.told import told
from kmirror.wire.control_orders import Author, PauseOrder, PauseVerb, Scope
from kmirror.wire.deletions import GoneTopic
from kmirror.wire.position import Owner
from tests.support.synthetic_flow import NOW_MS, running_flow

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
CHECK = ROOT / "examples" / "monitoring" / "check_kmirror.sh"
FLOW = Flow("A", "B")
OWNER = Owner(driver="d", host="mirror-1", pid=7, started_ms=1, slots=2, flow="A->B")
WELL = FlowOverview(
    flow=FLOW,
    owner=OwnerEntry(generation=2, owner=OWNER),
    granularity="whole batches",
    topics=(
        TopicOverview(
            topic="orders",
            copy="A.orders",
            partitions=4,
            positions=4,
            lag_records=12,
            exceptions=(),
        ),
    ),
    parked=(),
    paused=(),
    coverage=Coverage(selected=1),
)
PARKED = ParkedPartition(
    partition=TopicPartition("orders", 3), kind="DataGap", reason="orders-3: data gap", at=5
)
UNMATCHED = Unmatched(item="paymnets", why="there is no topic of that name", is_named=True)
PROBLEM = TopicProblem(source_topic="events", reason="replication.factor = 3")
PAUSED = PausedPartition(
    partition=TopicPartition("orders", 2),
    pause=PauseOrder(
        verb=PauseVerb.PAUSE,
        scope=Scope(topic="orders", partition=2),
        author=Author(by="ann@ops", at_ms=1, reason="disk"),
        until_ms=2,
    ),
)
ILL = replace(
    WELL,
    parked=(PARKED,),
    paused=(PAUSED,),
    coverage=Coverage(
        selected=2,
        problems=(PROBLEM,),
        waiting=(TopicPartition("events", 0),),
        unmatched=(UNMATCHED,),
    ),
    drift=(
        SettingChange(topic="A.orders", name="retention.ms", before="9", after="5", reason="drift"),
    ),
)
GONE = GoneTopic(
    topic="audit",
    topic_id="a",
    copy="A.audit",
    copy_id="b",
    seen_ms=1,
    by="ann@ops",
    policy="quarantine",
)
ILL = replace(
    ILL,
    gone=(GoneCopy(gone=GONE, quarantined=True, delete_at_ms=None, words="in quarantine"),),
)
HELD = replace(WELL, owner=OwnerEntry(generation=3, owner=replace(OWNER, hold="failover")))
STANDING = Standing(
    lag_seconds=3.0,
    sign_age_seconds=9.0,
    judgement=FlowJudgement(verdict=SloVerdict.IN_SYNC, words="at most 3 s behind"),
)
ILL = replace(ILL, standing=STANDING)
TOLD = told(running_flow(FLOW, topics=1, partitions=1), NOW_MS)
AWAY = ClusterUnavailable("cluster A (a:9092): could not list topics: timed out")

pytestmark = pytest.mark.skipif(shutil.which("jq") is None, reason="the page's examples use jq")

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a shell command where `kmirror` gives the answers that it is told, and an exit code."""

    def run_with(command: str, *answers: object, code: int = 0) -> Any:
        lines = [json.dumps(plain(FLOW, answer)) for answer in answers]  # type: ignore[arg-type]
        (tmp_path / "answers").write_text("".join(f"{line}\n" for line in lines))
        fake = tmp_path / "kmirror"
        fake.write_text(f'#!/bin/sh\ncat "{tmp_path}/answers"\nexit {code}\n')
        fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
        environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        return subprocess.run(
            ["sh", "-c", command], env=environ, capture_output=True, text=True, check=False
        )

    return run_with


def _fields(value: object, at: str = "") -> Iterator[str]:
    """Name every field of an answer as the page does."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{at}.{name}".removeprefix(".")
            yield from _fields(inner, f"{at}.{name}".removeprefix("."))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        yield from _fields(value[0], f"{at}[]")


def _documented() -> set[str]:
    """Give the fields of the page's tables; `.copy` behind a comma is its neighbour's sibling."""
    found = set()
    tables = PAGE[: PAGE.index("## Exit codes")]
    for cell in re.findall(r"^\| ((?:`[\w.\[\]]+`(?:, )?)+) \|", tables, re.MULTILINE):
        names = re.findall(r"`([^`]+)`", cell)
        parent = names[0].rpartition(".")[0]
        found |= {f"{parent}{name}" if name.startswith(".") else name for name in names}
    return found


def test_every_field_is_explained() -> None:
    """What is new in an answer is new on the page, and what is gone goes there, too."""
    answers = json.loads(json.dumps([plain(FLOW, ILL, TOLD), plain(FLOW, AWAY)]))
    inner = {f"{flow}.{end}" for flow in ("flow", "driver.flow") for end in ("source", "target")}
    words = {f"coverage.problems[].{name}" for name in ("source_topic", "reason", "hint")}
    words |= {f"coverage.unmatched[].{name}" for name in ("item", "why", "is_named")}
    fields = {field for answer in answers for field in _fields(answer)}
    assert fields - inner - words == _documented()
    assert all(f"`{name.rpartition('.')[2]}`" in PAGE for name in words)


@pytest.mark.parametrize(
    ("answers", "code", "expected", "words"),
    [
        ((WELL,), 0, 0, "OK"),
        ((WELL, ILL), 5, 2, "A->B: parked orders-3: DataGap; A->B: not mirrored events"),
        ((HELD,), 0, 2, "held by failover"),
        ((AWAY,), 3, 2, "could not list topics"),
        ((replace(WELL, owner=None),), 0, 1, "never started"),
        ((replace(WELL, coverage=Coverage(selected=0)),), 5, 2, "no topic is selected"),
        ((), 2, 2, "is wrong"),
        ((), 3, 3, "says nothing"),
        ((), 1, 3, "ended with 1"),
    ],
)
def test_the_check(
    run: Run, answers: tuple[object, ...], code: int, expected: int, words: str
) -> None:
    """It is as loud as what it finds, and names it."""
    done = run(f"{CHECK} mm2.properties 100 1000", *answers, code=code)
    assert (done.returncode, done.stderr) == (expected, "")
    assert words in done.stdout


@pytest.mark.parametrize(("limit", "expected"), [(100, 0), (11, 1)])
def test_the_lag(run: Run, limit: int, expected: int) -> None:
    """Above the first limit it warns; above the second it is critical."""
    assert run(f"{CHECK} mm2.properties {limit} 1000", WELL).returncode == expected
    assert run(f"{CHECK} mm2.properties 1 11", WELL).returncode == 2


def test_what_the_page_asks_jq(run: Run) -> None:
    """Each example works on every kind of answer, and says what its comment says."""
    block = re.search(r"## With jq.*?^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert block is not None
    lag, behind, parked, missing, owner = re.split(r"^# .*\n", block[1], flags=re.MULTILINE)[1:]
    for command, expected in (
        (lag, "A->B 12\nA->B unknown\n"),
        (behind, "12 orders\n"),
        (parked, "orders-3 DataGap: orders-3: data gap\n"),
        (missing, "events: replication.factor = 3\n"),
        (owner, "A->B mirror-1 7 copies\n"),
    ):
        done = run(command, ILL, AWAY)
        assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")
