"""The page of a soak: whole, truthful about what was found, and safe against what it quotes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.soak.page import html
from tests.soak.result import Event, Finding, FlowSample, ProcessSample, Result, load, save
from tests.soak.trends import DRIVER_JVM, trends


def sample(
    at_s: float,
    *,
    name: str = DRIVER_JVM,
    rss_mb: int = 400,
    heap_mb: tuple[int, int] | None = None,
) -> ProcessSample:
    """Give a process at a moment; of its heap what arrays have, and all else."""
    return ProcessSample(
        at_s=at_s,
        name=name,
        pid=7,
        rss_bytes=rss_mb << 20,
        files=100,
        threads=50,
        live_bytes=None if heap_mb is None else sum(heap_mb) << 20,
        array_bytes=None if heap_mb is None else heap_mb[0] << 20,
    )


def run(*findings: Finding) -> Result:
    """Give a run of 20 minutes with one fault."""
    return Result(
        command="make soak HOURS=0.3 SEED=5",
        seed=5,
        began="today",
        duration_s=1200,
        machine="2 cores",
        setup=("Two clusters.",),
        events=[
            Event(
                number=1,
                what="link cut",
                where="<b>here</b>",
                from_s=10,
                until_s=20,
                recovered_s=3.5,
            )
        ],
        processes=[sample(5.0 * number) for number in range(240)],
        flows=[
            FlowSample(at_s=5.0 * number, flow="A->B", copied=100 * number, lag=number % 7)
            for number in range(240)
        ],
        findings=list(findings),
    )


GOOD = Finding(good=True, question="Lost?", answer="nothing")
BAD = Finding(good=False, question="Twice?", answer="3 records")


def test_the_page_needs_nothing_else() -> None:
    """No address leads away from it, and what it quotes is text."""
    page = html(run(GOOD))
    assert "http" not in page.replace("http-equiv", "")
    assert "<b>here</b>" not in page
    assert "&lt;b&gt;here&lt;/b&gt;" in page
    assert page.count("<figure") == 5
    assert "Nothing is lost" in page


def test_it_says_what_is_wrong() -> None:
    """Also when nothing was asked: a run that was cut short proves nothing."""
    assert "Something is wrong" in html(run(GOOD, BAD))
    assert "3 records" in html(run(GOOD, BAD))
    assert "Something is wrong" in html(run())


def test_a_run_is_kept(tmp_path: Path) -> None:
    """The page can be made again from the file."""
    file = tmp_path / "run.json"
    save(run(GOOD, BAD), file)
    assert load(file) == run(GOOD, BAD)


def test_what_grows_is_found() -> None:
    """Within the life of a process, when it is warm."""
    assert all(finding.good for finding in trends(run()))
    grows = [sample(5.0 * number, rss_mb=400 + number) for number in range(240)]
    memory, heap, arrays, files, threads, _ = trends(replace(run(), processes=grows))
    assert not memory.good
    assert "driver, JVM" in memory.answer
    assert heap.good
    assert arrays.good
    assert files.good
    assert threads.good


@pytest.mark.parametrize(
    ("arrays_mb", "others_mb", "is_good"),
    [
        (30, 45, (True, True)),
        (30, 65, (False, True)),
        (90, 40, (True, True)),
        (150, 40, (True, False)),
    ],
)
def test_what_a_jvm_needs_is_asked_now_and_then(
    arrays_mb: int, others_mb: int, is_good: tuple[bool, bool]
) -> None:
    """
    Of the samples between nobody knows; its collector may keep more or less of the heap. Memory
    for records is kept and used again, up to a limit; nothing else may grow as much.
    """
    first, last = (30, 40), (arrays_mb, others_mb)
    asked = [
        sample(5.0 * at, heap_mb=None if at % 24 else first if at <= 120 else last)
        for at in range(240)
    ]
    memory, heap, arrays, *_ = trends(replace(run(), processes=asked))
    assert memory.good
    assert (heap.good, arrays.good) == is_good
    assert f"{DRIVER_JVM}, 40 to {others_mb}" in heap.answer
    assert f"{DRIVER_JVM}, 30 to {arrays_mb}" in arrays.answer


def test_brokers_are_told_and_not_judged() -> None:
    """They are Kafka's; and a driver that lived for five minutes says nothing."""
    grows = [sample(5.0 * at, name="source broker 1", rss_mb=400 + at) for at in range(240)]
    short = [sample(5.0 * at, rss_mb=400 + 9 * at) for at in range(60)]
    findings = list(trends(replace(run(), processes=grows + short)))
    assert all(finding.good for finding in findings)
    assert "no driver" in findings[0].answer
    assert "source broker 1, 4" in findings[-1].answer


def test_the_page_stays_small() -> None:
    """Two hours with as many lives and faults as a real run has had."""
    event = run().events[0]
    events = [
        replace(event, number=at, from_s=23.0 * at, until_s=23.0 * at + 9) for at in range(320)
    ]
    names = ("driver, JVM", "driver, Python", *(f"target broker {each}" for each in range(4)))
    samples = [
        replace(sample(5.0 * at, name=name, rss_mb=400 + at % 97), pid=at // 60)
        for name in names
        for at in range(1440)
    ]
    assert len(html(replace(run(GOOD), events=events, processes=samples))) < 700_000
