"""`kmirror mm1` and MirrorMaker 1 as processes, and what Kafka's own tool says of their group."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.cluster.mirror import Mirror
from kmirror_lab.jars import KAFKA_2_8
from kmirror_lab.process.jvm_command import kafka_command, run_tool

from tests.support.driver import KMIRROR, Driver, start_logged, unused

_GROUPS_TOOL = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mm1Files:
    """
    MirrorMaker 1's two files.

    Args:
        folder: Where they are, and where logs go.
        group: The consumer group that they name.
    """

    folder: Path
    group: str

    @property
    def options(self) -> tuple[str, ...]:
        """The options that name them."""
        return (
            *("--consumer.config", str(self.folder / "consumer.properties")),
            *("--producer.config", str(self.folder / "producer.properties")),
        )


def write_files(
    folder: Path,
    a: Cluster | str,
    b: Cluster | str,
    group: str,
    *,
    consumer: Sequence[str] = (),
    producer: Sequence[str] = (),
) -> Mm1Files:
    """
    Write the two files of a copy from A to B.

    Args:
        folder: Where; made if need be.
        a, b: The clusters, or their `bootstrap.servers`.
        group: The consumer group.
        consumer, producer: More lines of each.
    """
    folder.mkdir(parents=True, exist_ok=True)
    source, target = (each if isinstance(each, str) else each.bootstrap for each in (a, b))
    reads = (f"bootstrap.servers={source}", f"group.id={group}", "auto.offset.reset=earliest")
    lines = {
        "consumer": (*reads, *consumer),
        "producer": (f"bootstrap.servers={target}", *producer),
    }
    for role, written in lines.items():
        text = "".join(f"{line}\n" for line in written)
        (folder / f"{role}.properties").write_text(text, encoding="utf-8")
    return Mm1Files(folder=folder, group=group)


class Mm1Factory(Protocol):
    """Starts a `kmirror mm1` that lives at most as long as the test."""

    def __call__(self, files: Mm1Files, *options: str) -> Driver:
        """Start it with those files, and more of its command line."""
        ...


def start_mm1(files: Mm1Files, *options: str) -> Driver:
    """Start `kmirror mm1`; see `Mm1Factory`."""
    log = unused(files.folder / "mm1.log")
    command = [KMIRROR, "mm1", *files.options, *options]
    return start_logged(command, log, files.folder / f"{log.stem}-tmp")


def mirror_maker_1(files: Mm1Files, *options: str) -> Mirror:
    """Give MirrorMaker 1 itself, with those files."""
    command = partial(
        kafka_command,
        "kafka.tools.MirrorMaker",
        *files.options,
        *options,
        folder=files.folder,
        level="info",
        jars=KAFKA_2_8,
    )
    return Mirror("MirrorMaker 1", command, log=files.folder / "mirror-maker-1.log")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    A line of `kafka-consumer-groups.sh --describe`.

    Args:
        topic, partition: Of what.
        offset: What the group has committed; None for nothing.
        lag: How many records come after it.
        consumer: The member that has it; empty for none.
        client: Its client id.
    """

    topic: str
    partition: int
    offset: int | None
    lag: int | None
    consumer: str
    client: str


def describe(cluster: Cluster, group: str) -> list[Row]:
    """Return what Kafka's own tool says of a group."""
    words = (_GROUPS_TOOL, "--bootstrap-server", cluster.bootstrap, "--describe", "--group", group)
    with tempfile.TemporaryDirectory() as folder:
        text = run_tool(kafka_command(*words, folder=Path(folder)), f"the group {group}")
    return sorted(_rows(text, group), key=lambda row: (row.topic, row.partition))


def _rows(text: str, group: str) -> Iterator[Row]:
    for line in text.splitlines():
        words = line.split()
        if len(words) < 8 or words[0] != group:
            continue
        _, topic, partition, offset, _, lag, consumer, *rest = words
        yield Row(
            topic=topic,
            partition=int(partition),
            offset=_number(offset),
            lag=_number(lag),
            consumer="" if consumer == "-" else consumer,
            client="" if rest[-1] == "-" else rest[-1],
        )


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)
