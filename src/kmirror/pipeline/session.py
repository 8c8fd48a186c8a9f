"""One Spark session for all flows of a process."""

from __future__ import annotations

import logging
import math
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from kmirror.clock import Clock
from kmirror.config.secret import Secret
from kmirror.errors import EnvironmentProblem, JvmLost
from kmirror.events.emit import emit
from kmirror.events.table import JARS_PREPARED, SPARK_UNPROTECTED
from kmirror.jvm import own_jars
from kmirror.pipeline.executors import SPARE_CORES, Executors
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.jvm_options import JAVA_OPTIONS, archive_options, class_path_settings
from kmirror.pipeline.master import Master, driver_host, require_listener, unprotected
from kmirror.pipeline.spark_jvm import SparkJvm
from kmirror.pipeline.tuning.table import spark_tuning
from kmirror.pipeline.work_folder import work_folder
from kmirror.waits import waiting

# So many slots more can be added while it runs: a thread that has nothing to do costs nothing.
_SPARE_SLOTS = 4
# What a lane holds at most: two fetches, two producers' buffers (see `flows/clients.py`).
_HEAP_MB_SLOT = 128
_HEAP_MB_SPARK = 512
_HEAP_MB_MIN = 1024
_EXECUTORS_WAIT_S_MAX = 60.0
_MASTER_S_MAX = 45.0
_JVM_END_S_MAX = 2.0
_POLL_S = 0.05

# Settings without which a flow would be slow, silent or wrong; users may override others.
_FIXED = {
    "spark.plugins": "io.kmirror.Plugin",
    # A speculative copy of a task would fence the original.
    "spark.speculation": "false",
    # Our sink is not on Spark's list of known ones.
    "spark.sql.streaming.realTimeMode.allowlistCheck": "false",
    "spark.sql.streaming.realTimeMode.asyncProgressTrackingByDefault.enabled": "false",
    **spark_tuning(),
}
_DEFAULTS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.scheduler.mode": "FAIR",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "2",
    "spark.sql.streaming.checkpointFileManagerClass": "io.kmirror.CheckpointFiles",
    "spark.locality.wait": "0",
}


class SparkProcess:
    """
    Spark's JVM, and the session in it.

    Make it in the main thread, before other threads exist: only there can signals be kept from
    the JVM.

    Args:
        app: The application's name in Spark.
        slots: Tasks that will run at the same time, for ever: all flows' slots together.
        master: A Spark master URL; `None` runs everything in this process.
        settings: The operator's own `spark.*` settings.
        folder: Where Spark, its JVM and native libraries put their temporary files.
        clock: For waiting until the JVM answers.
        java_options: Instead of those that use the archive of Spark's classes.
        meanwhile: Called while the JVM starts.

    Raises:
        EnvironmentProblem: Java or the jars are missing.
    """

    def __init__(
        self,
        *,
        app: str,
        slots: int,
        master: str | None,
        settings: Mapping[str, Secret],
        folder: Path,
        clock: Clock,
        java_options: str = "",
        meanwhile: Callable[[], object] = lambda: None,
    ) -> None:
        os.environ["PYSPARK_PYTHON"] = sys.executable
        self._master = Master(master or f"local[{slots + _SPARE_SLOTS + SPARE_CORES}]")
        with waiting("for Spark", f"reach the master {self._master.url}"):
            require_listener(self._master)
        jars = own_jars(report=_say_prepared)
        # Without this it would write what it raises, as JSON.
        PySparkLogger.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)
        options = (
            f"{java_options or archive_options(jars)} {JAVA_OPTIONS} -Djava.io.tmpdir={folder}"
        )
        heap_mb = max(_HEAP_MB_MIN, _HEAP_MB_SPARK + (slots + _SPARE_SLOTS) * _HEAP_MB_SLOT)
        ours = {"spark.driver.memory": f"{heap_mb}m", "spark.driver.extraJavaOptions": options}
        given = {name: value.reveal() for name, value in settings.items()}
        merged = _DEFAULTS | ours | _place(self._master, given) | given | _FIXED
        merged |= class_path_settings(jars, merged, one_process=self._master.is_one_process)
        merged["spark.app.name"] = app
        merged["spark.master"] = self._master.url
        _warn_unprotected(self._master, given)
        self._slots = slots
        self._folders = ExitStack()
        self._opening: threading.Thread | None = None
        self._opened: Future[SparkSession] = Future()
        local = (str(self._local_folder(place, folder)) for place in _local_places(given))
        merged["spark.local.dir"] = ",".join(local) or str(folder)
        self._conf = SparkConf(loadDefaults=False).setAll(list(merged.items()))
        self._jvm = SparkJvm(merged, master=self._master.url, folder=folder)
        try:
            meanwhile()
            self.gateway: Any = self._jvm.connect(clock)
        except BaseException:
            self._jvm.close()
            self._folders.close()
            raise

    def _local_folder(self, place: Path, folder: Path) -> Path:
        """Return the folder for blocks at a place that the operator has chosen."""
        if place.resolve() == folder.parent.resolve():
            return folder
        return self._folders.enter_context(work_folder(place))

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
                    self._jvm.process.kill()
                    why = (
                        f"the master {self._master.url} did not answer within {_MASTER_S_MAX:.0f} s"
                    )
                    raise self._not_started(why)
                if clock.wait(stop, _POLL_S):
                    return None
        spark = opened.result()
        with waiting("for Spark", f"a core for each of {self._slots} slots"):
            return spark if _await_cores(spark, self._slots, clock, stop) else None

    def _open(self) -> None:
        opened = self._opened
        try:
            with calling_jvm():
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
        return self._jvm.process.pid

    def end(self) -> str:
        """Say how the JVM ended; empty while it runs."""
        return self._jvm.end()

    def wait_end(self, timeout_s: float) -> None:
        """
        Wait until the JVM ends by itself.

        Raises:
            subprocess.TimeoutExpired: It has not.
        """
        self._jvm.process.wait(timeout_s)

    def _not_started(self, why: str) -> EnvironmentProblem:
        return EnvironmentProblem(
            f"Spark does not start: {why}",
            hint=f"look at the master {self._master.url} and its executors",
        )

    def close(self) -> None:
        """End the JVM."""
        if not self.end():
            self.gateway.shutdown()
        self._jvm.close()
        if self._opening is not None:
            self._opening.join(_JVM_END_S_MAX)
        SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - a later one must not find it
        self._folders.close()


def _local_places(settings: Mapping[str, str]) -> list[Path]:
    # The variable counts for Spark before the setting, and would let it put folders beside ours.
    text = os.environ.pop("SPARK_LOCAL_DIRS", "") or settings.get("spark.local.dir", "")
    return [Path(place.strip()) for place in text.split(",") if place.strip()]


def _place(master: Master, settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings by which executors find the driver, unless the operator has said it."""
    if master.is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    named = {"SPARK_LOCAL_IP", "SPARK_LOCAL_HOSTNAME"} & os.environ.keys()
    if named or "spark.driver.host" in settings:
        return {}
    # Spark would look up this machine's name, which is 127.0.1.1 on many machines.
    host = driver_host(master)
    return {} if host is None else {"spark.driver.host": host}


def _warn_unprotected(master: Master, settings: Mapping[str, str]) -> None:
    off = () if master.is_local else unprotected(settings)
    if off:
        keys = tuple(f"kmirror.{name}" for name in off)
        emit(SPARK_UNPROTECTED, master=master.url, keys=keys)


def _say_prepared(line: str) -> None:
    emit(JARS_PREPARED, line=line)


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
