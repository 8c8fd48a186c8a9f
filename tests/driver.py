"""
`kmirror run` as a real process, for tests that look at it from outside.

Test modules write `from driver import Driver, write_properties`: pytest puts the folder of
`tests/conftest.py` on the path. The fixture `run_driver` starts drivers and leaves none behind.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol

from confluent_kafka import IsolationLevel, KafkaException
from confluent_kafka import TopicPartition as KafkaPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from kmirror.errors import ClusterUnavailable
from kmirror.lab import guardian
from kmirror.lab.clients import admin_client, consumer
from kmirror.lab.cluster import Cluster
from kmirror.lab.waiting import wait_until
from kmirror.model import Flow, TopicPartition
from kmirror.wire.position import position_group

A_TO_B = Flow("A", "B")
RUNNING = r"plan \d+: "
"""The log line after which lanes begin to copy."""

# Spark needs 6 to 30 s to start on a machine that has other work.
_START_S_MAX = 120.0
_REQUEST_S_MAX = 30.0


class Driver:
    """
    A running `kmirror run`, with Spark's JVMs in a session of their own.

    Args:
        file: The properties file.
        folder: For its log and its temporary files; what it wrote there stays after a kill.
        arguments: More of the command line.
        environ: More environment variables.
    """

    def __init__(
        self,
        file: Path,
        folder: Path,
        *,
        arguments: Iterable[str] = (),
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.temporary = folder / "tmp"
        self.temporary.mkdir(parents=True, exist_ok=True)
        self.log = _unused(folder / "driver.log")
        places = {"TMPDIR": str(self.temporary), "SPARK_LOCAL_DIRS": str(self.temporary)}
        program = Path(sys.executable).with_name("kmirror")
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [program, "run", file, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **places, **(environ or {})},
                start_new_session=True,
            )
        started = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[19]
        guardian.guard(self.pid, int(started))

    @property
    def pid(self) -> int:
        """The Python process; the JVMs are in its process group."""
        return self._process.pid

    @property
    def text(self) -> str:
        """What it has said so far."""
        return self.log.read_text(errors="replace")

    @property
    def exit_code(self) -> int | None:
        """Its exit code; None while it runs, negative when a signal ended it."""
        return self._process.poll()

    def lines(self, pattern: str) -> list[str]:
        """The log lines in which *pattern* is found."""
        return [line for line in self.text.splitlines() if re.search(pattern, line)]

    def wait_until(self, condition: Callable[[], bool], what: str, timeout_s: float) -> None:
        """Wait until *condition* holds; fails at once when the driver ends before."""

        def holds() -> bool:
            if condition():
                return True
            if self.exit_code is not None and not condition():
                raise AssertionError(f"{what}: exit {self.exit_code} before\n{self._last_words()}")
            return False

        try:
            wait_until(holds, what, timeout_s=timeout_s, pause_s=0.1)
        except ClusterUnavailable as error:
            raise AssertionError(f"{error}\n{self._last_words()}") from error

    def wait_for_line(
        self, pattern: str, *, timeout_s: float = _START_S_MAX, count: int = 1
    ) -> str:
        """Wait until *pattern* is found in *count* log lines, and give the last of them."""
        self.wait_until(
            lambda: len(self.lines(pattern)) >= count, f"/{pattern}/ x {count}", timeout_s
        )
        return self.lines(pattern)[count - 1]

    def wait_running(self, *, timeout_s: float = _START_S_MAX) -> None:
        """Wait until its first plan is handed to the lanes."""
        self.wait_for_line(RUNNING, timeout_s=timeout_s)

    def wait_until_caught_up(
        self,
        source: Cluster,
        target: Cluster,
        topics: Mapping[str, str],
        *,
        flow: Flow = A_TO_B,
        timeout_s: float = _START_S_MAX,
    ) -> None:
        """
        Wait until everything that is in the source now is committed and readable on the target.

        Args:
            source, target: The clusters.
            topics: Source topic to target topic.
            flow: Whose positions count.
            timeout_s: How long it may take.
        """
        copy = CopyWatch(source.bootstrap, target.bootstrap, topics, flow)
        self.wait_until(copy.begin, f"the ends of {flow} are known", timeout_s)
        self.wait_until(copy.copied, f"{flow} has caught up", timeout_s)
        self.wait_until(copy.readable, f"{flow} is readable on the target", timeout_s)

    def wait_exit(self, *, timeout_s: float = 60) -> int:
        """Wait until it has ended by itself, and give its exit code."""
        wait_until(lambda: self.exit_code is not None, f"{self.log} ends", timeout_s=timeout_s)
        assert self.exit_code is not None
        return self.exit_code

    def stop(self, *, timeout_s: float = 60) -> int:
        """Ask it to end (SIGTERM), and give its exit code."""
        self._process.send_signal(signal.SIGTERM)
        return self.wait_exit(timeout_s=timeout_s)

    def kill(self) -> None:
        """Kill Python and JVMs without notice (SIGKILL), and return when all are gone."""
        self._signal(signal.SIGKILL)
        self._process.wait(30)
        wait_until(lambda: not self.members(), f"group {self.pid} is gone", timeout_s=30)

    def freeze(self) -> None:
        """Freeze Python and JVMs (SIGSTOP): connections stay open and silent."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on after `freeze`."""
        self._signal(signal.SIGCONT)

    def members(self, program: str = "") -> list[int]:
        """The living processes of its session whose command line contains *program*."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_text(errors="replace")
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(stat[3]) == self.pid and stat[0] not in "ZX" and program in command:
                found.append(int(entry.name))
        return found

    def _signal(self, number: signal.Signals) -> None:
        # Every process of the session: executors of a local cluster may lead groups of their own.
        for pid in self.members():
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue

    def _last_words(self) -> str:
        return "\n".join(self.text.splitlines()[-40:])


class CopyWatch:
    """
    Tells from the clusters alone how far a copy is: asks again and again, remembers where it was.

    Args:
        source: `bootstrap.servers` of the source.
        target: The same of the target.
        topics: Source topic to target topic.
        flow: Whose positions count.
    """

    def __init__(self, source: str, target: str, topics: Mapping[str, str], flow: Flow) -> None:
        self._source = admin_client(source)
        self._target = admin_client(target)
        self._topics = topics
        self._positions = GroupPositions(target, position_group(flow))
        self._wanted: dict[TopicPartition, int] = {}
        self._written: dict[TopicPartition, int] | None = None

    def begin(self) -> bool:
        """Note the source's ends as a read_committed reader sees them; false when it is away."""
        try:
            stable = ends_of(self._source, self._topics, IsolationLevel.READ_COMMITTED)
        except KafkaException:
            return False
        self._wanted = {
            TopicPartition(self._topics[tp.topic], tp.partition): end for tp, end in stable.items()
        }
        return True

    def copied(self) -> bool:
        """Whether every position has reached the noted end."""
        try:
            found = self._positions.read(self._topics.values())
        except KafkaException:
            return False
        return all(found.get(tp, 0) >= end for tp, end in self._wanted.items())

    def readable(self) -> bool:
        """Whether what had been written to the target when first asked is committed by now."""
        names = self._topics.values()
        try:
            if self._written is None:
                self._written = ends_of(self._target, names, IsolationLevel.READ_UNCOMMITTED)
            stable = ends_of(self._target, names, IsolationLevel.READ_COMMITTED)
        except KafkaException:
            return False
        return all(stable.get(tp, -1) >= end for tp, end in self._written.items())


class GroupPositions:
    """
    A group's positions, without the library's admin client: that one crashes the process when a
    coordinator moves (librdkafka issue 5040).

    Args:
        bootstrap: `bootstrap.servers` of the cluster.
        group: Its name.
        stable: Wait for pending transactions; a killed driver leaves one for up to a minute.
    """

    def __init__(self, bootstrap: str, group: str, *, stable: bool = True) -> None:
        isolation = "read_committed" if stable else "read_uncommitted"
        self._client = consumer(bootstrap, group_id=group, isolation_level=isolation)

    def read(self, topics: Iterable[str]) -> dict[TopicPartition, int]:
        """
        Read the positions of the partitions of *topics*; those without one are left out.

        Raises:
            KafkaException: The cluster is away, or a transaction is pending for too long.
        """
        listed = self._client.list_topics(timeout=_REQUEST_S_MAX).topics
        asked = [
            KafkaPartition(topic, partition)
            for topic in topics
            if topic in listed
            for partition in listed[topic].partitions
        ]
        found = self._client.committed(asked, timeout=_REQUEST_S_MAX) if asked else []
        if errors := [place.error for place in found if place.error is not None]:
            raise KafkaException(errors[0])
        return {TopicPartition(p.topic, p.partition): p.offset for p in found if p.offset >= 0}


def ends_of(
    admin: AdminClient, topics: Iterable[str], level: IsolationLevel
) -> dict[TopicPartition, int]:
    """
    Read where the partitions of *topics* end; those that do not exist are left out.

    Raises:
        KafkaException: The cluster is away.
    """
    listed = admin.list_topics(timeout=_REQUEST_S_MAX).topics
    asked = {
        KafkaPartition(topic, partition): OffsetSpec.latest()
        for topic in topics
        if topic in listed
        for partition in listed[topic].partitions
    }
    if not asked:
        return {}
    answers = admin.list_offsets(asked, isolation_level=level, request_timeout=_REQUEST_S_MAX)
    return {
        TopicPartition(place.topic, place.partition): future.result().offset
        for place, future in answers.items()
    }


def write_properties(
    folder: Path, a: Cluster | str, b: Cluster | str, *extra_lines: str, topics: str = ".*"
) -> Path:
    """
    Write an `mm2.properties` with the flow A->B.

    Args:
        folder: Where; made if need be.
        a, b: The clusters, or their `bootstrap.servers`; A and B in the file whatever their names.
        extra_lines: More lines; the last of two with the same key counts.
        topics: What the flow mirrors.
    """
    folder.mkdir(parents=True, exist_ok=True)
    addresses = [cluster if isinstance(cluster, str) else cluster.bootstrap for cluster in (a, b)]
    size = str(min(3, 1 + addresses[1].count(",")))
    lines = [
        "clusters = A, B",
        f"A.bootstrap.servers = {addresses[0]}",
        f"B.bootstrap.servers = {addresses[1]}",
        "A->B.enabled = true",
        f"A->B.topics = {topics}",
        f"replication.factor = {size}",
        f"offset.storage.replication.factor = {size}",
        *extra_lines,
    ]
    path = folder / "mm2.properties"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


class DriverFactory(Protocol):
    """Starts a driver that lives at most as long as the test."""

    def __call__(
        self,
        file: Path,
        *arguments: str,
        folder: Path | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Driver:
        """Start `kmirror run FILE ARGUMENTS`; without *folder* it logs beside FILE."""
        ...


def _unused(path: Path) -> Path:
    """Give *path*, or with a number in its name when it exists: each start has its own log."""
    number, candidate = 1, path
    while candidate.exists():
        number += 1
        candidate = path.with_stem(f"{path.stem}-{number}")
    return candidate
