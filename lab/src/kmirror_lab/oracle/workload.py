"""
A producer in a process of its own, for tests that kill things.

It keeps the ledger `check` reads. Started by `Workload.start`; the process runs this module.
"""

from __future__ import annotations

import json
import random
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from confluent_kafka import KafkaError, Message, Producer

from kmirror.clock import Clock, SystemClock
from kmirror_lab.cluster.clients import producer
from kmirror_lab.oracle.ledger import Entry, LedgerWriter, Op, read_ledger
from kmirror_lab.oracle.record import make_content
from kmirror_lab.process import process
from kmirror_lab.process.process import ProcessId

_TRANSACTION_RECORDS = 50
_FLUSH_S_MAX = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """
    What one producer does.

    Args:
        bootstrap: The cluster it writes to.
        topic: A topic that exists.
        partitions: How many partitions of it are written to, from 0.
        ledger: The file of its ledger.
        records: How many records; 0 means until it is stopped.
        rate: Records per second at most; 0 means as fast as it can.
        seed: The same seed makes the same records, timestamps apart.
        producer: Its number in the ledger and in the values.
        abort_every: With N > 0 it writes transactions of 50 records and aborts every Nth.
        keys: With N > 0 every record has one of N keys, as compacted topics want it.
    """

    bootstrap: str
    topic: str
    partitions: int
    ledger: Path
    records: int = 0
    rate: int = 0
    seed: int = 0
    producer: int = 0
    abort_every: int = 0
    keys: int = 0

    def start(self) -> RunningWorkload:
        """Start it in a process that dies with this one."""
        spec = json.dumps(asdict(self) | {"ledger": str(self.ledger)})
        command = [sys.executable, "-m", "kmirror_lab.oracle.workload", spec]
        log = self.ledger.with_suffix(".log")
        return RunningWorkload(spec=self, process=process.start(command, log=log))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningWorkload:
    """A workload that was started."""

    spec: Workload
    process: ProcessId

    @property
    def alive(self) -> bool:
        """Whether its process is still there."""
        return process.alive(self.process)

    def wait(self, *, timeout_s: float) -> None:
        """
        Wait until it has written all its records.

        Raises:
            TimeoutError: It still writes.
        """
        if not process.wait_end(self.process, timeout_s=timeout_s):
            raise TimeoutError(f"the workload still runs after {timeout_s:g} s")

    def stop(self, *, timeout_s: float = _FLUSH_S_MAX) -> None:
        """Let it finish what it has begun and end."""
        process.end(self.process, timeout_s=timeout_s)

    def kill(self) -> None:
        """Kill it without notice."""
        process.kill(self.process)

    def acked(self) -> int:
        """Count the records acknowledged so far."""
        if not self.spec.ledger.exists():
            return 0
        return sum(entry.op is Op.OK for entry in read_ledger(self.spec.ledger))


class _Run:
    """The inside of the process."""

    def __init__(self, spec: Workload, ledger: LedgerWriter, clock: Clock) -> None:
        self._spec = spec
        self._ledger = ledger
        self._clock = clock
        self._open: list[Entry] = []
        settings = {"enable_idempotence": "true", "linger_ms": "5"}
        if spec.abort_every:
            settings["transactional_id"] = f"lab-workload-{spec.topic}-{spec.producer}"
        self._client: Producer = producer(
            spec.bootstrap, message_max_bytes="2000000", compression_type="lz4", **settings
        )

    def go_on_until(self, stop: threading.Event) -> None:
        """Produce until the number is reached or *stop* is set, then flush."""
        spec, rng = self._spec, random.Random(self._spec.seed)
        if spec.abort_every:
            self._client.init_transactions(_FLUSH_S_MAX)
            self._client.begin_transaction()
        begun_s = self._clock.monotonic_s()
        seq = 0
        while not stop.is_set() and not (spec.records and seq == spec.records):
            self._send(rng, seq)
            seq += 1
            if spec.abort_every and seq % _TRANSACTION_RECORDS == 0:
                self._end_transaction(number=seq // _TRANSACTION_RECORDS)
                self._client.begin_transaction()
            if spec.rate:
                ahead_s = seq / spec.rate - (self._clock.monotonic_s() - begun_s)
                if ahead_s > 0:
                    self._client.poll(0)
                    self._clock.wait(stop, ahead_s)
        if spec.abort_every:
            self._end_transaction(number=1 + seq // _TRANSACTION_RECORDS)
        self._client.flush(_FLUSH_S_MAX)

    def _send(self, rng: random.Random, seq: int) -> None:
        spec = self._spec
        now_ms = self._clock.wall_ms()
        content = make_content(rng, producer=spec.producer, seq=seq, now_ms=now_ms)
        if spec.keys:
            content = replace(content, key=b"%d" % (seq % spec.keys))
        sent = Entry(
            op=Op.SEND,
            producer=spec.producer,
            seq=seq,
            topic=spec.topic,
            partition=rng.randrange(spec.partitions),
            wall_ms=now_ms,
            digest=content.digest(),
        )
        self._ledger.write(sent)
        while True:
            try:
                self._client.produce(
                    sent.topic,
                    key=content.key,
                    value=content.value,
                    headers=[*content.headers],
                    partition=sent.partition,
                    timestamp=content.timestamp_ms,
                    on_delivery=self._answer(sent),
                )
                break
            except BufferError:
                self._client.poll(0.1)
        self._client.poll(0)

    def _answer(self, sent: Entry) -> Callable[[KafkaError | None, Message], None]:
        def answered(error: KafkaError | None, message: Message) -> None:
            now_ms = self._clock.wall_ms()
            if error is not None:
                entry = replace(sent, op=Op.INFO, wall_ms=now_ms, reason=error.name())
            else:
                offset = message.offset()
                known = sent.offset if offset is None else offset
                entry = replace(sent, op=Op.OK, wall_ms=now_ms, offset=known)
            if self._spec.abort_every:
                self._open.append(entry)
            else:
                self._ledger.write(entry)

        return answered

    def _end_transaction(self, *, number: int) -> None:
        """Commit or abort; only then are the answers of its records known."""
        self._client.flush(_FLUSH_S_MAX)
        aborted = number % self._spec.abort_every == 0
        if aborted:
            self._client.abort_transaction(_FLUSH_S_MAX)
        else:
            self._client.commit_transaction(_FLUSH_S_MAX)
        for entry in self._open:
            final = replace(entry, op=Op.FAIL, reason="aborted") if aborted else entry
            self._ledger.write(final)
        self._open.clear()


def main() -> None:
    """Run the workload described by the JSON in the first argument, until SIGTERM."""
    fields = json.loads(sys.argv[1])
    spec = Workload(**(fields | {"ledger": Path(fields["ledger"])}))
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with LedgerWriter(spec.ledger) as ledger:
        _Run(spec, ledger, SystemClock()).go_on_until(stop)


if __name__ == "__main__":
    main()
