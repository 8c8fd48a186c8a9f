"""Sends numbered records to a topic: some at once, or for a time and at a rate."""

from __future__ import annotations

import threading
from collections.abc import Callable

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from kmirror.clock import Clock
from kmirror.errors import ClusterUnavailable
from kmirror.wire.load_stamps import HEADER, LoadStamp
from kmirror_lab.cluster.clients import drain, producer

_ANSWER_S_MAX = 30.0
_STEP_S = 0.05
# Of a fast sending, so many wait for their acknowledgement at a time.
_AT_ONCE_MAX = 5_000
_KEYS = 1_000

_Delivered = Callable[[KafkaError | None, Message], None]


class Sending:
    """
    Records that are sent for a time.

    Args:
        seconds: How long.
        rate: Records a second; 0 for one after the other, as fast as they are acknowledged.
    """

    def __init__(self, seconds: float, rate: int) -> None:
        self.seconds = seconds
        self.rate = rate
        self.acknowledged = 0
        self.trouble = ""
        self.stop = threading.Event()
        self.ended = threading.Event()

    @property
    def text(self) -> str:
        """How it goes, for people."""
        pace = f"at {self.rate:,} a second" if self.rate else "one after the other"
        sent = f"{self.acknowledged:,} records"
        if self.trouble:
            return f"ended after {sent}: {self.trouble}"
        if not self.ended.is_set():
            return f"sending {pace} for {self.seconds:g} s: {sent} so far"
        how = "until it was stopped" if self.stop.is_set() else f"in {self.seconds:g} s"
        return f"sent {sent} {pace} {how}"


class Sender:
    """
    The producer of a topic.

    Args:
        bootstrap: The cluster.
        topic: The topic.
        partitions: How many it has: they take turns.
        run: The run's name in stamps.
        clock: Where time comes from.
    """

    def __init__(self, bootstrap: str, topic: str, partitions: int, run: str, clock: Clock) -> None:
        self._producer: Producer = producer(
            bootstrap,
            acks="all",
            enable_idempotence="true",
            linger_ms="0",
            # One record after the other would wait 40 ms each for TCP's delayed acknowledgement.
            socket_nagle_disable="true",
            message_timeout_ms=str(int(_ANSWER_S_MAX * 1000)),
        )
        self._topic = topic
        self._partitions = partitions
        self._run = run
        self._clock = clock
        self._lock = threading.Lock()
        self._sent = 0
        self._numbers = [0] * partitions
        self.acknowledged = 0

    def send(self, records: int) -> range:
        """
        Send so many records, and wait until all are acknowledged.

        Returns:
            Their numbers; the value of number 7 is `message:7`.

        Raises:
            ClusterUnavailable: Some were refused, or not acknowledged in time.
        """
        refused: list[KafkaError] = []

        def delivered(error: KafkaError | None, _message: Message) -> None:
            if error is None:
                self.acknowledged += 1
            else:
                refused.append(error)

        with self._lock:
            first = self._sent + 1
            try:
                for number in range(first, first + records):
                    self._send_one(number, delivered)
                drain(self._producer, timeout_s=_ANSWER_S_MAX, refused=refused)
            except KafkaException as error:
                raise ClusterUnavailable(f"{self._topic}: {error.args[0].str()}") from error
            return range(first, first + records)

    def send_for(self, sending: Sending) -> None:
        """Send until the time is over, or somebody has stopped it, or the cluster refuses."""
        begun_s = self._clock.monotonic_s()
        try:
            while not sending.stop.is_set():
                passed_s = self._clock.monotonic_s() - begun_s
                if passed_s >= sending.seconds:
                    break
                due = int(passed_s * sending.rate) - sending.acknowledged if sending.rate else 1
                if due > 0:
                    sending.acknowledged += len(self.send(min(due, _AT_ONCE_MAX)))
                else:
                    self._clock.wait(sending.stop, _STEP_S)
        except ClusterUnavailable as error:
            sending.trouble = str(error)
        finally:
            sending.ended.set()

    def _send_one(self, number: int, delivered: _Delivered) -> None:
        partition = number % self._partitions
        sent_us = self._clock.wall_ms() * 1000
        stamp = LoadStamp(self._run, partition, self._numbers[partition], sent_us)
        self._producer.produce(
            self._topic,
            f"message:{number}".encode(),
            str(number % _KEYS).encode(),
            partition=partition,
            headers=[(HEADER, stamp.encode())],
            on_delivery=delivered,
        )
        self._sent = number
        self._numbers[partition] += 1
