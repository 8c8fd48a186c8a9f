"""What a load comes to: runs, verdicts, moments, pace, and the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.load.course import Course
from kmirror.load.pace import Pace
from kmirror.load.page import load_page, verdict_words
from kmirror.load.result import (
    RUNS_MAX,
    Audits,
    Consumed,
    Measured,
    Produced,
    WrittenPartition,
    WrittenRun,
)
from kmirror.load.run_file import read_run, save_run
from kmirror.pages.html import html
from kmirror.pages.page import Chart, Table
from kmirror.sequence.latencies import Latencies
from kmirror.wire.load_stamps import HEADER, LoadStamp, stamp_of

RUN = WrittenRun(
    run="r1",
    topic="t",
    partitions=(
        WrittenPartition(partition=0, sent=3),
        WrittenPartition(partition=1, sent=3, failed=(2,)),
    ),
)


def _audits(*numbers: tuple[int, int], run: str = "r1") -> Audits:
    audits = Audits()
    for partition, number in numbers:
        audits.add(LoadStamp(run, partition, number, 0))
    return audits


ALL = ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2))


def test_a_stamp_is_read_back() -> None:
    """Of a header among others; what is none is none."""
    for stamp in (LoadStamp("r", 3, 7, 99), LoadStamp("r", 3, 7, 99, True)):
        assert stamp_of([("a", b"x"), (HEADER, stamp.encode())]) == stamp
    for value in (b"", b"r:1:2", b"r:1:2:x", b"r:1:2:3:gone", b"\xff:1:2:3"):
        assert stamp_of([(HEADER, value)]) is None
    assert stamp_of(None) is None


def test_everything_came() -> None:
    """What was not acknowledged may be there or not."""
    for more in ((), ((1, 2),)):
        verdict = _audits(*ALL, *more).verdict(RUN)
        assert verdict.is_exact
        assert verdict.acknowledged == 5


def test_the_last_records_did_not_come() -> None:
    """Only who knows what was written sees that."""
    audits = _audits(*ALL[:-2])
    assert all(run.is_exact for run in audits.found())
    verdict = audits.verdict(RUN)
    assert (verdict.counts.lost, verdict.is_exact) == (2, False)


def test_a_record_in_the_middle_did_not_come() -> None:
    """It is named by partition and number."""
    (run,) = _audits((0, 0), (0, 2), (1, 0), (1, 0)).found()
    assert run.missing == ((0, ((1, 2),)),)
    assert (run.counts.lost, run.counts.duplicated, run.is_exact) == (1, 1, False)


def test_runs_are_counted_and_not_their_partitions() -> None:
    """A topic has many partitions: the last run counts as the first one does."""
    audits = Audits()
    for run in range(11):
        for partition in range(RUNS_MAX // 10):
            for number in (0, 2):
                audits.add(LoadStamp(f"r{run}", partition, number, 0))
    assert audits.unstamped == 0
    assert [run.counts.lost for run in audits.found()] == [RUNS_MAX // 10] * 11
    for run in range(RUNS_MAX):
        audits.add(LoadStamp(f"s{run}", 0, 0, 0))
    assert (audits.unstamped, len(audits.found())) == (11, RUNS_MAX)


def test_records_of_others_and_of_aborted_transactions() -> None:
    """Other runs are told apart; an aborted record that is seen is wrong."""
    audits = _audits(*ALL)
    assert not audits.add(None)
    assert audits.unstamped == 1
    audits.add(LoadStamp("r2", 0, 0, 0))
    assert [run.run for run in audits.found()] == ["r1", "r2"]
    assert not audits.add(LoadStamp("r1", 0, 0, 0, True))
    assert not audits.verdict(RUN).is_exact
    only = Audits(only="r2")
    assert not only.add(LoadStamp("r1", 0, 0, 0))


def test_a_reader_that_comes_later() -> None:
    """It does not miss what was before."""
    audits = Audits(from_beginning=False)
    for number in (100, 101):
        audits.add(LoadStamp("r1", 0, number, 0))
    assert audits.found()[0].is_exact


def test_a_run_is_read_from_its_file(tmp_path: Path) -> None:
    """What another process wrote down."""
    path = tmp_path / "run.json"
    save_run(RUN, path)
    assert read_run(path) == RUN
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="kmirror load produce --save"):
        read_run(path)


def test_a_rate_is_kept_on_the_average() -> None:
    """A record that goes late has waited since it was due."""
    pace = Pace(10, began_s=5.0, began_us=1_000_000)
    assert pace.early_s(10, 5.5) == pytest.approx(0.5)
    assert pace.early_s(10, 7.0) == 0
    assert pace.sent_us(10, 7.0) == 2_000_000
    free = Pace(0, began_s=5.0, began_us=1_000_000)
    assert (free.early_s(10, 5.0), free.sent_us(10, 7.0)) == (0, 3_000_000)


def test_moments_of_a_long_run_grow_longer() -> None:
    """No record is lost from them, and their number does not grow."""
    course = Course(0.0)
    for second in range(1, 3001):
        course.add(10, 1000)
        course.look(float(second))
    course.look(3000.5, is_over=True)
    moments = course.moments
    assert len(moments) <= 1200
    assert sum(each.records for each in moments) == 3000
    assert moments[-1].at_s == 3000.5
    assert [each.at_s for each in moments] == sorted(each.at_s for each in moments)
    assert moments[0].p50_s == pytest.approx(0.001, rel=0.01)


def _measured() -> Measured:
    latencies, course = Latencies(), Course(0.0)
    for second in range(1, 6):
        latencies.add_us(second * 1000)
        course.add(10, second * 1000)
        course.look(float(second))
    return Measured(
        records=5,
        bytes=50,
        took_s=5.0,
        latency=latencies.spread(),
        curve=latencies.curve(),
        moments=course.moments,
    )


def test_the_page_says_what_is_wrong() -> None:
    """A verdict, tables with the bad run marked, plots; all in one file."""
    audits = _audits((0, 0), (0, 2))
    consumed = Consumed(measured=_measured(), runs=audits.found(), unstamped=0)
    produced = Produced(written=RUN, measured=_measured())
    page = load_page(
        "a <title>",
        "by `kmirror load`",
        produced=produced,
        consumed=consumed,
        verdict=audits.verdict(RUN),
    )
    assert (page.verdict, page.is_good) == (
        "of 5 records 3 lost, 0 duplicated, 0 out of order",
        False,
    )
    tables = [part for part in page.parts if isinstance(part, Table)]
    assert tables[1].bad == {0}
    charts = [part.title for part in page.parts if isinstance(part, Chart)]
    assert charts == [
        "Throughput",
        "Latency over time, written",
        "Latency over time, read",
        "How many records took how long",
    ]
    text = html(page)
    assert "a &lt;title&gt;" in text
    assert "<code>" in text
    assert text.count("data:image/svg+xml;base64,") == 2 * len(charts)
    assert "http://" not in text.replace("http-equiv", "")


def test_what_was_not_acknowledged_is_not_as_it_should_be() -> None:
    """Nothing is lost of nothing: a round trip to a cluster that is away is no good one."""
    verdict = _audits(*ALL).verdict(RUN)
    produced = Produced(written=RUN, measured=_measured(), failures={"timed out": 1})
    assert verdict_words(verdict, (), produced) == (
        "all 5 records arrived, once and in order; 1 records were not acknowledged",
        False,
    )
    assert verdict_words(verdict, (), None)[1]
    assert verdict_words(None, (), produced) == ("1 records were not acknowledged", False)


def test_a_page_of_an_idle_run_has_no_empty_plots() -> None:
    """Nothing came: the tables say so."""
    nothing = Measured(
        records=0, bytes=0, took_s=0.0, latency=Latencies().spread(), curve=(), moments=()
    )
    page = load_page("t", "a", consumed=Consumed(measured=nothing, runs=(), unstamped=0))
    assert not any(isinstance(part, Chart) for part in page.parts)
    assert "no stamped record was found" in html(page)
