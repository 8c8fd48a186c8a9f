"""`kmirror verify`: what it says, and with which exit code."""

from __future__ import annotations

import json
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.process.waiting import wait_until

from tests.support.commands import verify
from tests.support.driver import KMIRROR
from tests.support.mirror_file import flow_lines, mirror_file
from tests.support.records import end_offset, numbered, record, write, write_transactions

pytestmark = pytest.mark.kafka


def _has_end(cluster: Cluster, topic: str, offset: int) -> bool:
    return end_offset(cluster, topic) == offset


@pytest.fixture(scope="module")
def file(kafka_pair: ClusterPair, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """
    Give a file with two flows, and topics that a mirror might have copied.

    V->W: `checked-same` is the same on both sides, of `checked-other` record 7 differs.
    W->V: `checked-back` is the same.
    """
    v, w = kafka_pair
    for source, target, alias, topic in (
        (v, w, "V", "checked-same"),
        (v, w, "V", "checked-other"),
        (w, v, "W", "checked-back"),
    ):
        source.create_topic(topic, partitions=2)
        target.create_topic(f"{alias}.{topic}", partitions=2)
        for partition in range(2):
            records = numbered(topic, range(20))
            write(source, topic, records, partition=partition)
            if topic == "checked-other" and partition == 0:
                # A record and a marker that no reader sees: the target's offsets are two ahead.
                copy = f"{alias}.{topic}"
                write_transactions(target, copy, [(records[:1], False)])
                # Brokers write a marker after they have answered.
                wait_until(partial(_has_end, target, copy, 2), "the marker is there", timeout_s=30)
                records[7] = record(b"planted", key=b"2", timestamp_ms=records[7].timestamp_ms)
            write(target, f"{alias}.{topic}", records, partition=partition)
    return mirror_file(
        tmp_path_factory.mktemp("verify"),
        {"V": v, "W": w},
        *flow_lines("V->W", "checked-.*"),
        *flow_lines("W->V", "checked-.*"),
    )


def test_identical_topics(file: Path) -> None:
    """Exit code 0, with the number of records."""
    answer = verify(file, "--flow", "V->W", "--topics", "checked-same")
    assert answer.code == 0, answer.text
    assert "identical: 2 partitions, 40 records" in answer.text
    assert "checked-other" not in answer.text


def test_a_planted_difference(file: Path) -> None:
    """Exit code 1; the partition and both offsets are named, the records' contents are not."""
    answer = verify(file, "--flow", "V->W")
    assert answer.code == 1, answer.text
    assert "NOT identical: 1 of 4 partitions" in answer.text
    (line,) = [line for line in answer.text.splitlines() if "differs" in line]
    assert line.startswith("checked-other-0 -> V.checked-other-0")
    assert "source offset 7, target offset 9" in line
    assert "planted" not in answer.text


def test_one_flow_of_two(file: Path) -> None:
    """`--flow` leaves the other direction alone; without it all are compared."""
    answer = verify(file, "--flow", "W->V")
    assert answer.code == 0, answer.text
    assert "V->W" not in answer.text
    answer = verify(file, "--only-problems")
    assert answer.code == 1, answer.text
    assert "V->W" in answer.text
    assert "W->V" in answer.text


def test_a_flow_that_does_not_exist(file: Path) -> None:
    """Exit code 2, with the flows there are."""
    answer = verify(file, "--flow", "V->X")
    assert answer.code == 2
    assert "V->W, W->V" in answer.text


def test_nothing_selected_proves_nothing(file: Path) -> None:
    """A pattern that matches no topic is no success, and no difference."""
    answer = verify(file, "--flow", "V->W", "--topics", "checked")
    assert answer.code == 7, answer.text
    assert "nothing was compared" in answer.text


def test_alias_topics_only(kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """There is nothing to compare: that is said, and has an exit code of its own."""
    lines = mirror_file(tmp_path, {"V": kafka_pair.a}, r"V.kmirror.alias.all = checked-.*")
    answer = verify(lines)
    assert answer.code == 7, answer.text
    assert "V->V.all\nnothing was compared: the topic merges others" in answer.text
    (flow,) = map(json.loads, verify(lines, "--json").text.splitlines())
    assert (flow["flow"], flow["verdict"]) == ("V->V.all", "not compared")


def test_records_that_are_not_copied_yet(
    file: Path, kafka_pair: ClusterPair, tmp_path: Path
) -> None:
    """A target that is only behind does not differ: by how much is said, and the exit code is 6."""
    v, w = kafka_pair
    v.create_topic("lagging")
    w.create_topic("V.lagging")
    write(v, "lagging", numbered("lagging", range(10)))
    write(w, "V.lagging", numbered("lagging", range(6)))
    behind = mirror_file(tmp_path, {"V": v, "W": w}, *flow_lines("V->W", "lagging"))
    answer = verify(behind)
    assert answer.code == 6, answer.text
    assert "behind: 1 of 1 partition, 4 records not copied yet" in answer.text
    answer = verify(behind, "--json")
    assert answer.code == 6
    flow = json.loads(answer.text)
    assert (flow["verdict"], flow["behind"], flow["records"]) == ("behind", 4, 6)
    (partition,) = flow["partitions"]
    assert (partition["verdict"], partition["difference"]) == ("behind", None)


def test_again_and_again(file: Path) -> None:
    """Each round begins with its time; SIGTERM ends it, with the code of the worst round."""
    process = subprocess.Popen(
        [KMIRROR, "verify", file, "--flow", "V->W", "--every", "1s", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    rounds = [json.loads(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 1
    assert {each["verdict"] for each in rounds} == {"different"}
    assert rounds[1]["at_ms"] >= rounds[0]["at_ms"] + 1000
    refused = verify(file, "--every", "soon")
    assert (refused.code, "an interval such as 1h or 30m" in refused.text) == (2, True)
