"""`kmirror load`: what it writes, what it finds, and with which exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.wire.load_stamps import HEADER
from tests.support.commands import load
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import end_offset, read, write

pytestmark = pytest.mark.kafka


@pytest.fixture(scope="module")
def file(kafka_pair: ClusterPair, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a file with a flow that nobody runs."""
    v, w = kafka_pair
    folder = tmp_path_factory.mktemp("load")
    return mirror_file(folder, {"V": v, "W": w}, *flow_lines("V->W", "loaded.*"))


def test_what_is_written_is_found(file: Path, tmp_path: Path) -> None:
    """Transactions, some of them aborted, keys, a codec, a rate; and a page of it."""
    run, page = tmp_path / "run.json", tmp_path / "page.html"
    written = load(
        "produce",
        file,
        *("--cluster", "V", "--topic", "loaded", "--create-partitions", "3"),
        *("--records", "900", "--rate", "2000", "--size", "10..300", "--keys", "20"),
        *("--codec", "zstd", "--transaction-records", "100", "--abort-every", "4"),
        *("--header", "origin=test", "--save", str(run)),
    )
    assert written.code == 0, written.text
    assert "all 900 records were acknowledged" in written.text
    assert "200 records aborted" in written.text
    read = load(
        "consume",
        file,
        *("--cluster", "V", "--topic", "loaded", "--against", str(run), "--html", str(page)),
    )
    assert read.code == 0, read.text
    assert "all 900 records arrived, once and in order" in read.text
    assert "data:image/svg+xml" in page.read_text(encoding="utf-8")
    # Who reads what is aborted finds it.
    bad = load("consume", file, "--cluster", "V", "--topic", "loaded", "--read-uncommitted")
    assert bad.code == 1, bad.text
    assert "something is wrong in 1 of 1 runs" in bad.text


def test_rows_of_a_file(file: Path, tmp_path: Path, kafka_pair: ClusterPair) -> None:
    """A CSV goes as it is told; a wrong row is named by its line, before or while it is sent."""
    rows = tmp_path / "rows.csv"
    rows.write_text("id,text\n1,one\n2,two\n", encoding="utf-8")
    place = ("--cluster", "V", "--topic", "loaded-rows", "--create-partitions", "1")
    fields = ("--input", str(rows), "--key-field", "id", "--value-field", "text")
    answer = load("produce", file, *place, *fields)
    assert answer.code == 0, answer.text
    found = read(kafka_pair.a, "loaded-rows")
    assert [(each.key, each.value) for each in found] == [(b"1", b"one"), (b"2", b"two")]
    assert [name for name, _ in found[0].headers] == [HEADER]
    rows.write_text("id,text\n1,one\n2\n", encoding="utf-8")
    answer = load("produce", file, *place, *fields)
    assert answer.code == 2, answer.text
    assert f"{rows}:3: expected 2 columns" in answer.text


def test_what_is_lost_or_there_twice(file: Path, kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """The partition and the numbers are named, and the exit code is 1."""
    v, _ = kafka_pair
    run = tmp_path / "run.json"
    answer = load(
        "produce",
        file,
        *("--cluster", "V", "--topic", "loaded-first", "--create-partitions", "1"),
        *("--records", "10", "--save", str(run)),
    )
    assert answer.code == 0, answer.text
    v.create_topic("loaded-broken")
    copies = read(v, "loaded-first")
    write(v, "loaded-broken", [*copies[:3], *copies[5:9], copies[1]])
    assert end_offset(v, "loaded-broken") == 8
    found = load(
        "consume",
        file,
        *("--cluster", "V", "--topic", "loaded-broken", "--against", str(run)),
    )
    assert found.code == 1, found.text
    assert "partition 0: lost 3 to 4" in found.text
    assert "of 10 records 3 lost, 1 duplicated, 0 out of order" in found.text
    told = load("consume", file, "--cluster", "V", "--topic", "loaded-broken", "--json")
    (one,) = json.loads(told.text)["consumed"]["runs"]
    assert (one["counts"]["lost"], one["counts"]["duplicated"]) == (2, 1)


def test_what_cannot_be_done(file: Path) -> None:
    """A topic that is not there, one that no flow copies, a cluster that has no such name."""
    absent = load("consume", file, "--cluster", "V", "--topic", "nowhere")
    assert (absent.code, "there is no topic nowhere" in absent.text) == (3, True)
    missing = load("produce", file, "--cluster", "V", "--topic", "nowhere", "--records", "1")
    assert (missing.code, "--create-partitions N creates it" in missing.text) == (3, True)
    other = load("roundtrip", file, "--topic", "other", "--records", "1")
    assert (other.code, "topics does not name it" in other.text) == (2, True)
    alias = load("produce", file, "--cluster", "X", "--topic", "t", "--records", "1")
    assert (alias.code, "there are: V, W" in alias.text) == (2, True)


def test_a_copy_that_does_not_come(file: Path) -> None:
    """No flow runs: everything is lost, after the patience that was asked for."""
    answer = load(
        "roundtrip",
        file,
        *("--topic", "loaded-alone", "--create-partitions", "1", "--records", "5"),
        *("--patience", "1"),
    )
    assert answer.code == 1, answer.text
    assert "of 5 records 5 lost" in answer.text
