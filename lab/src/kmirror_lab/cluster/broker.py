"""One broker: a JVM process that is broker and controller in one."""

from __future__ import annotations

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka import KafkaException

from kmirror.errors import ClusterUnavailable, EnvironmentProblem
from kmirror.jvm import JarSet
from kmirror_lab.cluster.clients import admin_client
from kmirror_lab.jars import KAFKA
from kmirror_lab.process import process
from kmirror_lab.process.host import HERE, Host
from kmirror_lab.process.jvm_command import kafka_command, run_tool
from kmirror_lab.process.process import ProcessId, Usage
from kmirror_lab.process.waiting import wait_until


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSpec:
    """
    What a broker is before it runs.

    Args:
        node_id: Its number in the cluster, from 1.
        cluster_id: The cluster's id, as Kafka writes UUIDs.
        folder: Its data, its `server.properties` and its log.
        port: Where clients find it.
        properties: Its whole configuration.
        format_arguments: More arguments for `StorageTool format`, such as `--add-scram`.
        heap_mb: The JVM's largest heap, MiB.
        outlive: Whether it goes on when this process ends.
        jars: Which Kafka it is.
        kraft: Whether its storage is formatted before the first start.
        host: Where it runs and listens.
    """

    node_id: int
    cluster_id: str
    folder: Path
    port: int
    properties: Mapping[str, str]
    format_arguments: Sequence[str] = field(default=())
    heap_mb: int = 512
    outlive: bool = False
    jars: JarSet = KAFKA
    kraft: bool = True
    host: Host = HERE


class Broker:
    """A broker of this machine that can be killed, frozen and started again at the same port."""

    def __init__(self, spec: BrokerSpec) -> None:
        self.spec = spec
        self.process: ProcessId | None = None

    @property
    def node_id(self) -> int:
        return self.spec.node_id

    @property
    def bootstrap(self) -> str:
        """Its address as clients take it."""
        return f"{self.spec.host.address}:{self.spec.port}"

    @property
    def log(self) -> Path:
        """The file with everything it said, over all its lives."""
        return self.spec.folder / "server.log"

    def running(self) -> bool:
        """Return whether the process is there, be it frozen."""
        return self.process is not None and process.alive(self.process)

    def prepare(self) -> None:
        """Write its configuration and format its storage, unless that was done before."""
        folder = self.spec.folder
        folder.mkdir(parents=True, exist_ok=True)
        lines = "".join(f"{key}={value}\n" for key, value in self.spec.properties.items())
        self._configuration.write_text(lines)
        if not self.spec.kraft or (folder / "data" / "meta.properties").exists():
            return
        command = [
            *self._command("kafka.tools.StorageTool", "format", heap_mb=128),
            *("-t", self.spec.cluster_id, "-c", str(self._configuration)),
            *self.spec.format_arguments,
        ]
        run_tool(command, "formatting failed")

    def launch(self) -> None:
        """Start the process without waiting for it."""
        assert not self.running(), f"broker {self.node_id} runs already"
        command = self._command("kafka.Kafka", str(self._configuration), heap_mb=self.spec.heap_mb)
        self.process = process.start(
            self.spec.host.command(command),
            log=self.log,
            outlive=self.spec.outlive,
        )

    def wait_ready(self, *, timeout_s: float = 90) -> None:
        """
        Wait until it answers and its cluster counts on it.

        Raises:
            EnvironmentProblem: The process has ended; the message quotes its log.
            ClusterUnavailable: It did not answer in time.
        """
        with self.spec.host.inside():
            client = admin_client(self.bootstrap)

        def answers() -> bool:
            if not self.running():
                raise EnvironmentProblem(
                    f"broker {self.node_id} ended while starting:\n{self._last_words()}",
                    hint=f"the log is {self.log}",
                )
            try:
                return self.node_id in client.list_topics(timeout=1).brokers
            except KafkaException:
                return False

        try:
            wait_until(
                answers, f"broker {self.node_id} at {self.bootstrap} answers", timeout_s=timeout_s
            )
        except ClusterUnavailable as error:
            error.hint = f"the log is {self.log}; its end:\n{self._last_words()}"
            raise

    def start(self, *, timeout_s: float = 90) -> None:
        """Start it at its port and wait until it answers; see `wait_ready`."""
        self.prepare()
        self.launch()
        self.wait_ready(timeout_s=timeout_s)

    def stop(self, *, timeout_s: float = 60) -> None:
        """Shut it down in order (SIGTERM); after *timeout_s* kill it."""
        if self.process is not None:
            process.end(self.process, timeout_s=timeout_s)

    def kill(self) -> None:
        """Kill it without notice (SIGKILL) and return when it is gone."""
        if self.process is not None:
            process.kill(self.process)

    def restart(self, *, timeout_s: float = 90) -> None:
        """Stop it if it runs, and start it at the same port with the same data."""
        self.stop()
        self.start(timeout_s=timeout_s)

    def pause(self) -> None:
        """Freeze it (SIGSTOP): its connections stay open and silent."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let it go on after `pause`."""
        self._signal(signal.SIGCONT)

    def usage(self) -> Usage:
        """Return its processor time and memory."""
        assert self.process is not None, f"broker {self.node_id} was never started"
        return process.usage(self.process)

    @property
    def _configuration(self) -> Path:
        return self.spec.folder / "server.properties"

    def _command(self, *words: str, heap_mb: int) -> list[str]:
        return kafka_command(*words, folder=self.spec.folder, heap_mb=heap_mb, jars=self.spec.jars)

    def _signal(self, number: signal.Signals) -> None:
        sent = self.process is not None and process.send(self.process, number)
        assert sent, f"broker {self.node_id} does not run"

    def _last_words(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
