"""One Spark session for all flows of a process."""

from __future__ import annotations

import logging
import math
import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from kmirror.clock import Clock
from kmirror.errors import EnvironmentProblem, JvmLost
from kmirror.pipeline.executors import Executors
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.launch import SparkLaunch
from kmirror.waits import waiting

_EXECUTORS_WAIT_S_MAX = 60.0
_MASTER_S_MAX = 45.0
_JVM_END_S_MAX = 2.0
_POLL_S = 0.05


class SparkProcess:
    """
    Spark's JVM, and the session in it.

    Args:
        launch: The JVM on its way; it ends with this.
        clock: For waiting until the JVM answers.

    Raises:
        EnvironmentProblem: The JVM does not start.
    """

    def __init__(self, launch: SparkLaunch, clock: Clock) -> None:
        self._launch = launch
        self._master = launch.master
        self._opening: threading.Thread | None = None
        self._opened: Future[SparkSession] = Future()
        # Without this it would write what it raises, as JSON.
        PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        self._conf = SparkConf(loadDefaults=False).setAll(list(launch.settings.items()))
        try:
            self.gateway: Any = _connect(launch, clock)
        except BaseException:
            launch.close()
            raise

    @property
    def is_one_process(self) -> bool:
        """Whether executors are threads of this JVM: then nobody else has to be waited for."""
        return self._master.is_one_process

    def begin(self) -> None:
        """Have Spark start in the JVM, in a thread of its own; `open` waits for it."""
        if self._opening is not None:
            return
        # A call by Py4J cannot be interrupted; one that is left behind ends with the JVM.
        self._opening = threading.Thread(target=self._open, name="kmirror-spark", daemon=True)
        self._opening.start()

    def open(self, clock: Clock, stop: threading.Event) -> SparkSession | None:
        """
        Return the session, for whose start `begin` may have been called before.

        Args:
            clock: For waiting until a cluster's executors have registered.
            stop: Ends the waiting.

        Returns:
            The session; `None` when *stop* was set before it was there.

        Raises:
            EnvironmentProblem: Spark does not start, or the master has too few cores: a slot
                without a core would read nothing, and Spark would not say so.
        """
        self.begin()
        opened = self._opened
        deadline_s = clock.monotonic_s() + (math.inf if self._master.is_local else _MASTER_S_MAX)
        with waiting("for Spark", f"start with master {self._master.url}"):
            while not opened.done():
                if clock.monotonic_s() > deadline_s:
                    # Spark asks a silent master for more than a minute, and some managers for ever.
                    self._launch.jvm.process.kill()
                    why = (
                        f"the master {self._master.url} did not answer within {_MASTER_S_MAX:.0f} s"
                    )
                    raise self._not_started(why)
                if clock.wait(stop, _POLL_S):
                    return None
        spark = opened.result()
        with waiting("for Spark", f"a core for each of {self._launch.slots} slots"):
            return spark if _await_cores(spark, self._launch.slots, clock, stop) else None

    def _open(self) -> None:
        opened = self._opened
        try:
            with calling_jvm():
                self.gateway.jvm.io.kmirror.Sessions.withoutMllib()  # in this thread's own of Java
                opened.set_result(SparkSession(SparkContext(conf=self._conf, gateway=self.gateway)))
        except Py4JJavaError as error:
            why = ": ".join(_causes(error.java_exception))
            opened.set_exception(self._not_started(why))
        except JvmLost as error:
            opened.set_exception(self._not_started(str(error)))
        except Exception as error:  # noqa: BLE001 - whoever waits for the session raises it
            opened.set_exception(error)

    @property
    def pid(self) -> int:
        """The JVM's process."""
        return self._launch.jvm.process.pid

    def end(self) -> str:
        """Say how the JVM ended; empty while it runs."""
        return self._launch.jvm.end()

    def wait_end(self, timeout_s: float) -> None:
        """
        Wait until the JVM ends by itself.

        Raises:
            subprocess.TimeoutExpired: It has not.
        """
        self._launch.jvm.process.wait(timeout_s)

    def _not_started(self, why: str) -> EnvironmentProblem:
        return EnvironmentProblem(
            f"Spark does not start: {why}",
            hint=f"look at the master {self._master.url} and its executors",
        )

    def close(self) -> None:
        """End the JVM."""
        if not self.end():
            self.gateway.shutdown()
        self._launch.close()
        if self._opening is not None:
            self._opening.join(_JVM_END_S_MAX)
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - a later one must not find it


def _connect(launch: SparkLaunch, clock: Clock) -> Any:
    """Return Py4J's gateway, when the JVM answers."""
    port, secret = launch.jvm.wait_answer(clock)
    found = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
    with _in_environment(found):
        # PySpark leaves this function untyped.
        return launch_gateway()  # type: ignore[no-untyped-call]


@contextmanager
def _in_environment(values: Mapping[str, str]) -> Iterator[None]:
    """Have variables as long as the block lasts; nobody has set them before."""
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]


def _causes(exception: Any) -> Iterator[str]:
    """Yield the first line of a Java exception, and of the one that all began with."""
    yield str(exception).splitlines()[0]
    first = exception
    while (cause := first.getCause()) is not None:
        first = cause
    if first != exception:
        yield str(first).splitlines()[0]


def _await_cores(spark: SparkSession, slots: int, clock: Clock, stop: threading.Event) -> bool:
    executors = Executors(spark, slots)
    deadline_s = clock.monotonic_s() + _EXECUTORS_WAIT_S_MAX
    while shortage := executors.shortage():
        if clock.monotonic_s() > deadline_s:
            conf = spark.sparkContext.getConf()
            spark.stop()
            raise EnvironmentProblem(
                shortage,
                hint="give Spark more cores, or lower kmirror.slots; where executors do not come: "
                f"they look for the driver at {conf.get('spark.driver.host')}:"
                f"{conf.get('spark.driver.port')}, see kmirror.spark.driver.host",
            )
        if clock.wait(stop, 0.2):
            return False
    return True
