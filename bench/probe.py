"""A consumer in a process of its own that notes when each record of a load reached it."""

from __future__ import annotations

import sys
import threading
import time
from array import array
from dataclasses import asdict, dataclass
from pathlib import Path

from confluent_kafka import Consumer, KafkaException, TopicPartition
from kmirror_lab.cluster.clients import consumer
from kmirror_lab.process.process import ProcessId

from bench.arrival import Arrival
from bench.load import CREATED
from bench.worker import read_pairs, read_spec, start_worker, stop_event
from kmirror.admin.base import Isolation

_POLL_S = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """
    What is read.

    Args:
        bootstrap: The cluster.
        topic: A topic that exists, read from its start.
        partitions: How many it has.
        isolation: Whether the consumer waits for commits.
        first_records: After so many it is ready for the load.
        records: After so many it ends.
        result: The file for what it notes; it is there, empty, as soon as the probe is ready.
    """

    bootstrap: str
    topic: str
    partitions: int
    isolation: Isolation
    first_records: int
    records: int
    result: Path

    def start(self, log: Path) -> ProcessId:
        """Start it in a process that dies with this one; *log* gets what it complains about."""
        return start_worker("bench.probe", asdict(self) | {"result": str(self.result)}, log)

    def arrivals(self) -> list[Arrival]:
        """Read what it noted, in the order in which the records came."""
        pairs = read_pairs(self.result)
        return [Arrival(written_ns=created, seen_ns=seen) for created, seen in pairs]


def start_reading(bootstrap: str, topic: str, partitions: int, isolation: Isolation) -> Consumer:
    """Give a consumer of a topic that gets every record as soon as it can."""
    reader = consumer(bootstrap, isolation_level=isolation, fetch_queue_backoff_ms="5")
    reader.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
    return reader


def created_ns(reader: Consumer, timeout_s: float) -> int | None:
    """Give when the next record was written; None when none came in time."""
    message = reader.poll(timeout_s)
    if message is None:
        return None
    error = message.error()
    if error is not None:
        raise KafkaException(error)
    value = message.value()
    assert value is not None, "a load writes no nulls"
    created: int = CREATED.unpack_from(value)[0]
    return created


def _note(probe: Probe, stop: threading.Event) -> array[int]:
    """Give pairs of moments, created and seen, in one row: records may be millions."""
    notes: array[int] = array("q")
    reader = start_reading(probe.bootstrap, probe.topic, probe.partitions, probe.isolation)
    while len(notes) < 2 * probe.records and not stop.is_set():
        created = created_ns(reader, _POLL_S)
        if created is not None:
            notes.append(created)
            notes.append(time.time_ns())
            if len(notes) == 2 * probe.first_records:
                probe.result.touch()
    reader.close()
    return notes


def main() -> None:
    """Note what the first argument describes, until all is there or SIGTERM comes."""
    spec = read_spec()
    probe = Probe(**(spec | {"result": Path(str(spec["result"]))}))  # type: ignore[arg-type]  # `start` wrote it
    notes = _note(probe, stop_event())
    probe.result.write_bytes(notes.tobytes())
    if len(notes) < 2 * probe.records:
        sys.exit(f"only {len(notes) // 2} of {probe.records} records came")


if __name__ == "__main__":
    main()
