"""Lines that people write for MirrorMaker 2 and that mean something else, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.config.load import examine
from tests.support.mirror_files import BASE

_READ_NO = "MirrorMaker 2 reads no such key: write "
_NO_KEY = "MirrorMaker 2 has no such key: write "
_AT_TOP = "has no effect at top level: write "


def said(tmp_path: Path, line: str, base: str = BASE) -> list[str]:
    """Give what is said of the last line of a file, problem or warning."""
    file = tmp_path / "mm2.properties"
    file.write_text(f"{base}{line}\n", encoding="utf-8")
    config, problems = examine(file, environ={})
    place = f"{file}:{base.count(chr(10)) + 1}"
    return [each.expected for each in (*problems, *config.warnings) if each.where == place]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("producer.linger.ms = 5", f"{_AT_TOP}B.producer.linger.ms"),
        ("consumer.max.poll.records = 5", f"{_AT_TOP}A.consumer.max.poll.records"),
        (
            "admin.retries = 5",
            f"{_AT_TOP}A.admin.retries or B.admin.retries",
        ),
        ("producer.override.linger.ms = 5", f"{_READ_NO}B.producer.linger.ms"),
        ("source.consumer.max.poll.records = 5", f"{_READ_NO}A.consumer.max.poll.records"),
        ("source.cluster.consumer.max.poll.records = 5", f"{_READ_NO}A.consumer.max.poll.records"),
        ("target.cluster.producer.linger.ms = 5", f"{_READ_NO}B.producer.linger.ms"),
        ("target.cluster.admin.retries = 5", f"{_READ_NO}B.admin.retries"),
        ("A.source.consumer.max.poll.records = 5", f"{_READ_NO}A.consumer.max.poll.records"),
        ("B.producer.override.linger.ms = 5", f"{_READ_NO}B.producer.linger.ms"),
        (
            "A->B.source.cluster.consumer.fetch.min.bytes = 5",
            f"{_READ_NO}A->B.source.consumer.fetch.min.bytes",
        ),
        (
            "A->B.target.cluster.producer.linger.ms = 5",
            f"{_READ_NO}B.producer.linger.ms, or A->B.producer.override.linger.ms",
        ),
        (
            "A->B.consumer.override.max.poll.records = 5",
            f"{_READ_NO}A->B.source.consumer.max.poll.records",
        ),
        (
            "A->B.source.cluster.max.poll.records = 5",
            "reaches no client: write A->B.source.consumer.max.poll.records",
        ),
        (
            "source.cluster.security.protocol = SSL",
            "belongs to a connector of Kafka Connect, not to the driver's file: write "
            "A.security.protocol",
        ),
        ("whitelist = a", f"{_NO_KEY}topics"),
        ("topics.include = a", f"{_NO_KEY}topics"),
        ("A->B.groups.whitelist = a", f"{_NO_KEY}A->B.groups"),
        ("num.streams = 5", f"{_NO_KEY}tasks.max"),
    ],
)
def test_keys_that_nobody_reads(tmp_path: Path, line: str, words: str) -> None:
    """Each is named once, with what to write for this file."""
    assert said(tmp_path, line) == [words]


@pytest.mark.parametrize(
    "line",
    [
        "A->B.source.consumer.max.poll.records = 5",
        "A->B.consumer.max.poll.records = 5",
        "A->B.source.admin.retries = 5",
        "A->B.target.admin.retries = 5",
        "A->B.producer.override.linger.ms = 5",
        "A->B.source.cluster.security.protocol = PLAINTEXT",
        "B.producer.linger.ms = 5",
        "A.consumer.max.poll.records = 5",
        "A->B.topics.exclude = mm2.*\\\\.internal",
        "A->B.name = a#b",
    ],
)
def test_keys_that_are_read(tmp_path: Path, line: str) -> None:
    """What MirrorMaker 2 reads is obeyed without a word."""
    assert not [words for words in said(tmp_path, line) if "write" in words or "#" in words]


def test_many_clusters_are_not_listed(tmp_path: Path) -> None:
    """With three sources the line says whose alias to write."""
    base = "clusters = A, B, C, D\n"
    base += "".join(f"{a}.bootstrap.servers = {a}:1\n" for a in "ABCD")
    base += "".join(f"{a}->D.enabled = true\n" for a in "ABC")
    words = f"{_AT_TOP}S.consumer.max.poll.records with the source's alias"
    assert said(tmp_path, "consumer.max.poll.records = 5", base) == [words]


@pytest.mark.parametrize("name", ["topics.exclude", "A->B.topics.exclude", "topics.blacklist"])
@pytest.mark.parametrize("item", [r".*[\\-\\.]internal", ".*[-.]internal"])
def test_the_old_default_of_topics_exclude(tmp_path: Path, name: str, item: str) -> None:
    """It leaves out topics of the user's own, which today's default does not."""
    words = "; ".join(said(tmp_path, rf"{name} = {item}, .*\\.replica, __.*"))
    assert "leaves out topics of your own that end in -internal or .internal" in words
    assert r"write mm2.*\\.internal in its place" in words


@pytest.mark.parametrize("line", ["tasks.max = 4 # four", "topics = orders # the orders"])
def test_a_comment_behind_a_value(tmp_path: Path, line: str) -> None:
    """It is said what it is, and not taken for names."""
    words = said(tmp_path, line)
    assert any("# begins a comment only at the start of a line" in each for each in words)
    assert not any("blanks separate nothing" in each for each in words)


def test_semicolons_separate_nothing(tmp_path: Path) -> None:
    """Topics have none in their names; groups may."""
    assert said(tmp_path, "topics = a; b") == ["a; b: ; separates nothing: write a, b"]
    assert not said(tmp_path, "groups = a;b")


def test_a_key_of_mirror_maker_is_no_client_setting(tmp_path: Path) -> None:
    """`admin.timeout.ms` is read as it stands."""
    assert not said(tmp_path, "admin.timeout.ms = 5000")
