"""Filters and projections: SQL from the file between source and target."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.record import Content

from kmirror.model import TopicPartition
from tests.support.bounded import copy_once, run_to_end
from tests.support.copy_watch import GroupPositions
from tests.support.driver import DriverFactory
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import end_offset, numbered, read, record, topics_of, write

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

MASK = r"encode(regexp_replace(decode(value, 'UTF-8'), '[0-9]{4}', '####'), 'UTF-8')"


# Connect's transforms, as people post them: another name, a header less, no tombstones.
TRANSFORMS = (
    "transforms = rename, headers, tombstones",
    "transforms.rename.type = org.apache.kafka.connect.transforms.RegexRouter",
    r"transforms.rename.regex = T\\.(sql-)(.*)",
    "transforms.rename.replacement = routed-$2",
    "transforms.headers.type = org.apache.kafka.connect.transforms.DropHeaders",
    "transforms.headers.headers = kind",
    "transforms.tombstones.type = org.apache.kafka.connect.transforms.Filter",
    "transforms.tombstones.predicate = tombstone",
    "predicates = tombstone",
    "predicates.tombstone.type = org.apache.kafka.connect.transforms.predicates.RecordIsTombstone",
)

# Without its prefix a copy has the topic's own name with another end.
RENAMED = (
    "transforms.rename.type = RegexRouter",
    r"transforms.rename.regex = V\\.(.*)-renamed",
    "transforms.rename.replacement = $1-whole",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filtered:
    """The first run, over, of a flow that filters and one that masks."""

    file: Path
    filtered: str
    masked: str
    transformed: str
    renamed: str


def card(number: int) -> Content:
    """Give a record with something to hide."""
    headers = [("kind", b"card"), ("null", None)]
    return record(b"card %04d" % number, key=b"%d" % number, headers=headers)


def masked_card(number: int) -> Content:
    """Give the same as the projection leaves it."""
    hidden = card(number)
    return record(b"card ####", key=hidden.key, headers=hidden.headers)


@pytest.fixture(scope="module")
def flows(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Filtered:
    """Copy what is there: one flow keeps some records, the other masks all."""
    a, b = kafka_pair
    name = f"sql-{secrets.token_hex(4)}"
    filtered = a.create_topic(f"{name}-filtered", partitions=2)
    write(a, filtered, [*numbered("keep", range(5)), *numbered("drop", range(5))])
    write(a, filtered, [record(None, key=b"null")])
    write(a, filtered, numbered("drop", range(5)), partition=1)
    masked = b.create_topic(f"{name}-masked")
    write(b, masked, [card(1234), card(5678), record(None, key=b"null")])
    transformed = a.create_topic(f"{name}-transformed")
    write(a, transformed, [card(1), record(None, key=b"null"), card(2)])
    renamed = a.create_topic(f"{name}-renamed", partitions=2)
    write(a, renamed, numbered("whole", range(20)), partition=1)
    file = mirror_file(
        tmp_path_factory.mktemp("filters"),
        {"F": a, "G": b, "T": a, "U": b, "V": a, "W": b},
        *flow_lines("F->G", filtered, "kmirror.where = cast(value as string) like 'keep%'"),
        # In a properties file one backslash is written as two; this pattern has none.
        *flow_lines("G->F", masked, f"kmirror.select.value = {MASK}"),
        *flow_lines("T->U", transformed, *TRANSFORMS),
        *flow_lines("V->W", renamed, "transforms = rename", *RENAMED),
    )
    copy_once(warm_module_driver, file)
    return Filtered(
        file=file, filtered=filtered, masked=masked, transformed=transformed, renamed=renamed
    )


def test_a_filter_keeps_some_records(flows: Filtered, kafka_pair: ClusterPair) -> None:
    """Only those that the condition holds for arrive; for null it holds not."""
    assert read(kafka_pair.b, f"F.{flows.filtered}") == numbered("keep", range(5))
    assert read(kafka_pair.b, f"F.{flows.filtered}", 1) == []


def test_positions_go_past_filtered_records(flows: Filtered, kafka_pair: ClusterPair) -> None:
    """A partition of which nothing was kept is done all the same."""
    a, b = kafka_pair
    copy = f"F.{flows.filtered}"
    found = GroupPositions(b.bootstrap, "__kmirror-F-G").read([copy])
    for partition in range(2):
        end = end_offset(a, flows.filtered, partition)
        assert found[TopicPartition(copy, partition)] == end


def test_a_projection_masks_values(flows: Filtered, kafka_pair: ClusterPair) -> None:
    """Values change, and nothing else; a null stays null."""
    arrived = read(kafka_pair.a, f"G.{flows.masked}")
    assert arrived == [masked_card(1234), masked_card(5678), record(None, key=b"null")]


def test_connects_transforms_do_what_they_do_in_connect(
    flows: Filtered, kafka_pair: ClusterPair
) -> None:
    """A copy has the name that RegexRouter makes, and nothing of what was filtered out."""
    copy = flows.transformed.replace("sql-", "routed-", 1)
    kept = [card(1), card(2)]
    expected = [record(each.value, key=each.key, headers=[("null", None)]) for each in kept]
    assert read(kafka_pair.b, copy) == expected
    assert f"T.{flows.transformed}" not in topics_of(kafka_pair.b)


def test_whole_batches_go_to_renamed_copies(flows: Filtered, kafka_pair: ClusterPair) -> None:
    """A name takes no batch apart, and partitions keep their numbers."""
    copy = flows.renamed.removesuffix("renamed") + "whole"
    assert read(kafka_pair.b, copy, 1) == numbered("whole", range(20))
    assert read(kafka_pair.b, copy) == []
    assert f"V.{flows.renamed}" not in topics_of(kafka_pair.b)


def test_a_restart_repeats_nothing(
    flows: Filtered, kafka_pair: ClusterPair, warm_driver: DriverFactory
) -> None:
    """The next run goes on behind what was kept and what was dropped."""
    a, b = kafka_pair
    write(a, flows.filtered, [*numbered("drop", [9]), *numbered("keep", [5, 6])])
    write(b, flows.masked, [card(9999)])
    copy_once(warm_driver, flows.file)
    assert read(b, f"F.{flows.filtered}") == numbered("keep", range(7))
    arrived = read(a, f"G.{flows.masked}")
    assert arrived[-2:] == [record(None, key=b"null"), masked_card(9999)]
    assert len(arrived) == 4


SHUFFLES = {
    "subquery": "kmirror.where = value in (select encode('x', 'UTF-8'))",
    "scalar": "kmirror.where = value = (select max(encode('x', 'UTF-8')))",
    "window": "kmirror.select.value = cast(row_number() over (order by offset) as string)",
    "aggregate": "kmirror.select.value = max(value)",
    "explode": "kmirror.select.value = explode(array(value, value))",
}


def test_shuffles_are_refused(
    kafka_pair: ClusterPair, warm_driver: DriverFactory, tmp_path: Path
) -> None:
    """What would reorder or multiply records ends with exit code 2, all of it in one report."""
    a, b = kafka_pair
    topic = a.create_topic(f"shuffled-{secrets.token_hex(4)}")
    write(a, topic, numbered("x", range(3)))
    before = topics_of(b)
    lines = [
        line
        for alias, setting in SHUFFLES.items()
        for line in flow_lines(f"{alias}->T", topic, setting)
    ]
    clusters = dict.fromkeys(SHUFFLES, a) | {"T": b}
    driver = run_to_end(warm_driver, mirror_file(tmp_path, clusters, *lines), code=2)
    for alias in SHUFFLES:
        assert f": {alias}->T.kmirror." in driver.text, driver.text
    assert topics_of(b) == before


def test_wrong_sql(kafka_pair: ClusterPair, run_driver: DriverFactory, tmp_path: Path) -> None:
    """
    One report with exit code 2: what is no SQL, what Spark cannot resolve, and what is wrong
    besides, the line without effect that may be why included.
    """
    a, b = kafka_pair
    topic = a.create_topic(f"wrong-{secrets.token_hex(4)}")
    before = topics_of(b)
    file = mirror_file(
        tmp_path,
        {"F": a, "G": b},
        *flow_lines("F->G", topic, "kmirror.where = value = = 1", "kmirror.select.key = upper("),
        *flow_lines("G->F", topic, "kmirror.where = (value", "kmirror.select.value = valeu"),
        "G.producer.batch.size = many",
        "G.producer.compresion.type = zstd",
    )
    driver = run_to_end(run_driver, file, code=2)
    report = driver.text.partition("5 problems in the configuration:")[2]
    for text in ("value = = 1", "upper(", "(value", "name `valeu` cannot", "batch.size = many"):
        assert text in report, driver.text
    assert "did you mean G.producer.compression.type?" in report.partition("and 1 warning:")[2]
    assert "Traceback" not in driver.text
    assert "\tat " not in driver.text
    assert topics_of(b) == before
