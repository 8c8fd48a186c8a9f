"""`kmirror offsets`: groups and offsets of one side on the other, from the clusters alone."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.model import TopicPartition
from tests.support.bounded import copy_once
from tests.support.commands import offsets
from tests.support.driver import DriverFactory
from tests.support.groups import commit, committed, next_record
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import end_offset, numbered, read_with_offsets, write_transactions

pytestmark = [pytest.mark.kafka, pytest.mark.spark]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """A transactional topic that was copied, and a file that speaks of it."""

    pair: ClusterPair
    file: Path
    topic: str
    label: str

    @property
    def mirror(self) -> str:
        """The copy."""
        return f"OA.{self.topic}"


@pytest.fixture(scope="module")
def copied(
    kafka_pair: ClusterPair,
    warm_module_driver: DriverFactory,
    tmp_path_factory: pytest.TempPathFactory,
) -> Copied:
    """Give a finished copy; nothing drives the flow any more, and no group was followed."""
    label = f"offsets{secrets.token_hex(3)}"
    topic = kafka_pair.a.create_topic(f"{label}-t", partitions=1)
    rounds = [numbered(f"{topic}-{n}", range(9)) for n in range(8)]
    write_transactions(kafka_pair.a, topic, [(each, n % 3 != 1) for n, each in enumerate(rounds)])
    file = mirror_file(
        tmp_path_factory.mktemp("offsets"),
        {"OA": kafka_pair.a, "OB": kafka_pair.b},
        *flow_lines("OA->OB", topic, f"groups = {label}-.*"),
    )
    copy_once(warm_module_driver, file)
    return Copied(pair=kafka_pair, file=file, topic=topic, label=label)


def test_every_offset_both_ways(copied: Copied) -> None:
    """What is said is where the records are."""
    a, b = copied.pair
    here = read_with_offsets(a, copied.topic)
    there = dict(read_with_offsets(b, copied.mirror))
    answer = offsets("translate", copied.file, *(f"{copied.topic}-0:{at}" for at, _ in here))
    assert answer.code == 0, answer.text
    found = [int(line.rpartition(":")[2]) for line in answer.text.splitlines()]
    for (_, content), at in zip(here, found, strict=True):
        assert next(copy for offset, copy in there.items() if offset >= at) == content
    back = offsets("translate", copied.file, "--back", *(f"{copied.mirror}-0:{at}" for at in there))
    assert back.code == 0, back.text
    sources = [int(line.rpartition(":")[2]) for line in back.text.splitlines()]
    assert sources == [at for at, _ in here]


def test_what_is_not_known(copied: Copied) -> None:
    """It is said, and the exit code says it too."""
    here = f"{copied.topic}-0"
    end = end_offset(copied.pair.a, copied.topic)
    left_out = copied.pair.a.create_topic(f"{copied.label}-other", partitions=1)
    why = {
        f"{here}:999999": f"{here} ends at {end} on OA",
        f"{copied.topic}-7:1": f"{copied.topic} has 1 partitions on OA",
        "nothing-0:1": "there is no topic nothing on OA",
        f"{left_out}-0:1": f"OA->OB does not copy {left_out} (topics, topics.exclude)",
    }
    answer = offsets("translate", copied.file, *why)
    assert answer.code == 1
    assert answer.text.splitlines() == [f"{at} = unknown: {said}" for at, said in why.items()]
    assert offsets("translate", copied.file, "orders").code == 2
    assert offsets("show", copied.file, "--flow", "X->Y").code == 2


def test_groups_are_shown_exported_and_set(copied: Copied) -> None:
    """Set where they are in the source, backwards too, and only when told to."""
    a, b = copied.pair
    group = f"{copied.label}-billing"
    here = read_with_offsets(a, copied.topic)
    at, content = here[len(here) // 2]
    commit(a, group, {TopicPartition(copied.topic, 0): at})
    end = read_with_offsets(b, copied.mirror)[-1][0] + 1
    commit(b, group, {TopicPartition(copied.mirror, 0): end})

    shown = offsets("show", copied.file)
    assert shown.code == 0, shown.text
    (line,) = [line for line in shown.text.splitlines() if group in line]
    assert line.split()[1:4] == [f"{copied.topic}-0", str(at), f"{copied.mirror}-0"]
    exported = offsets("export", copied.file, "--json")
    place = json.loads(exported.text)
    assert next_record(b, copied.mirror, place["goes_on"]) == content
    assert offsets("export", copied.file).text == (
        f"{group},{copied.mirror},0,{place['goes_on']}\n"
    )

    assert "would be set" in offsets("reset", copied.file).text
    assert committed(b, group, copied.mirror) == end
    done = offsets("reset", copied.file, "--execute")
    assert done.code == 0, done.text
    assert committed(b, group, copied.mirror) == place["goes_on"]
    assert "0 offsets set" in offsets("reset", copied.file, "--execute").text


def test_back_to_the_source(copied: Copied) -> None:
    """Who has worked on the target goes on in the source at the next record, the last one too."""
    a, b = copied.pair
    here, there = (read_with_offsets(*each) for each in ((a, copied.topic), (b, copied.mirror)))
    groups = {f"{copied.label}-back-{n}": n for n in (0, len(there) // 3, len(there) - 1)}
    for group, number in groups.items():
        commit(b, group, {TopicPartition(copied.mirror, 0): there[number][0]})
    at_the_end = f"{copied.label}-back-end"
    commit(b, at_the_end, {TopicPartition(copied.mirror, 0): end_offset(b, copied.mirror)})
    done = offsets("reset", copied.file, "--back", "--groups", ".*-back-.*", "--execute")
    assert done.code == 0, done.text
    for group, number in groups.items():
        at = committed(a, group, copied.topic)
        assert at is not None
        assert next_record(a, copied.topic, at) == here[number][1]
    at = committed(a, at_the_end, copied.topic)
    assert at is not None
    assert next_record(a, copied.topic, at) is None
