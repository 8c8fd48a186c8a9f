"""Spark's JVM: a process that `spark-submit` starts, and that says where it answers."""

from __future__ import annotations

import os
import shlex
import signal
import struct
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from kmirror.clock import Clock, SystemClock
from kmirror.config.properties import write
from kmirror.errors import EnvironmentProblem
from kmirror.jvm import pyspark_jars
from kmirror.pipeline.deaf_processes import deaf_to_signals, no_signals_for_children
from kmirror.pipeline.jvm_log import log_lines
from kmirror.pipeline.private_file import write_private
from kmirror.waits import waiting

_ANSWER_S_MAX = 300.0
_END_S_MAX = 2.0
_POLL_S = 0.01
# The JVM that puts Spark's command line together lives for a tenth of a second.
_LAUNCHER_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# `org.apache.spark.util.SparkExitCode.OOM`.
_OUT_OF_MEMORY = 52


class SparkJvm:
    """
    The process. It begins at once; `wait_answer` waits for where it answers.

    PySpark's own `launch_gateway` would wait where nothing else can be done; here the rest of the
    program is loaded meanwhile. The process is told where to write its port, as PySpark does it
    (`PythonGatewayServer`).

    Args:
        settings: Spark's.
        master: Where Spark will run, for what is said when it does not start.
        folder: Its own, for files that nobody else may read.
    """

    def __init__(self, settings: Mapping[str, str], *, master: str, folder: Path) -> None:
        self._master = master
        self._answer = folder / "gateway"
        self._settings = folder / "spark.properties"
        # A command line is for everybody to see.
        write_private(self._settings, write(settings.items()))
        home = os.environ.get("SPARK_HOME") or str(pyspark_jars().parent)
        environment = os.environ | {
            "SPARK_HOME": home,
            "SPARK_CONNECT_MODE": "0",
            "_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._answer),
        }
        environment.setdefault("SPARK_LAUNCHER_OPTS", _LAUNCHER_OPTIONS)
        # Spark's own spark-defaults.conf still counts for what is not in the file.
        command = [
            *("/bin/sh", "-c", deaf_to_signals()),
            f"{home}/bin/spark-submit",
            "--properties-file",
            str(self._settings),
            "--load-spark-defaults",
            *shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS") or "pyspark-shell"),
        ]
        with no_signals_for_children(), _logged() as output:
            self.process = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=output, stderr=output
            )

    def wait_answer(self, clock: Clock) -> tuple[int, str]:
        """
        Return the port and the secret of its Py4J server, when it has written them down.

        Raises:
            EnvironmentProblem: It has ended, or is silent.
        """
        deadline_s = clock.monotonic_s() + _ANSWER_S_MAX
        nothing = threading.Event()
        try:
            with waiting("for Spark's JVM"):
                while not self._answer.exists():
                    if self.process.poll() is not None or clock.monotonic_s() > deadline_s:
                        raise self._not_started()
                    clock.wait(nothing, _POLL_S)
                return _answer(self._answer.read_bytes())
        finally:
            # It has read the one before it wrote the other.
            self._settings.unlink(missing_ok=True)
            self._answer.unlink(missing_ok=True)

    def end(self) -> str:
        """Say how it ended; empty while it runs."""
        code = self.process.poll()
        if code is None:
            return ""
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        if code == _OUT_OF_MEMORY:
            how += (
                ": its heap was too small; raise kmirror.spark.driver.memory, or have fewer slots"
            )
        return (
            f"Spark's JVM (process {self.process.pid}) {how}; nothing goes on before kmirror "
            "is started again"
        )

    def close(self) -> None:
        """End it: it does so by itself when its standard input ends, if it can."""
        assert self.process.stdin is not None, "it was asked for"
        self.process.stdin.close()
        try:
            self.process.wait(_END_S_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _not_started(self) -> EnvironmentProblem:
        return EnvironmentProblem(
            f"Spark's JVM did not start, for the master {self._master}",
            hint="the lines above are its own",
        )


@contextmanager
def _logged() -> Iterator[IO[bytes]]:
    """Yield a process's output stream; what it writes there is logged as long as it lives."""
    ours, theirs = os.pipe()
    lines = os.fdopen(ours, "rb")
    thread = threading.Thread(
        target=log_lines, args=(lines, SystemClock()), name="kmirror-jvm-log", daemon=True
    )
    thread.start()
    with os.fdopen(theirs, "wb") as output:
        yield output


def _answer(written: bytes) -> tuple[int, str]:
    """Read a port and a secret as `PythonGatewayServer` writes them, by Java's `writeInt`."""
    port, length = struct.unpack_from("!ii", written)
    return port, written[8 : 8 + length].decode()
