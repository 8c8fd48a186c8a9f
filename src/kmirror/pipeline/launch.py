"""Spark's JVM, launched: with which settings and files, before PySpark is loaded."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from kmirror.config.secret import Secret
from kmirror.events.emit import emit
from kmirror.events.table import JARS_PREPARED, SPARK_UNPROTECTED
from kmirror.jvm import own_jars
from kmirror.pipeline.jvm_options import (
    archive_options,
    class_path_settings,
    driver_options,
    executor_options,
)
from kmirror.pipeline.master import SPARE_CORES, Master, driver_host, require_listener, unprotected
from kmirror.pipeline.spark_jvm import SparkJvm
from kmirror.pipeline.tuning.table import spark_tuning
from kmirror.pipeline.work_folder import work_folder
from kmirror.waits import waiting

# So many slots more can be added while it runs: a thread that has nothing to do costs nothing.
_SPARE_SLOTS = 4
# What a lane holds at most: two fetches, two producers' buffers (`config/client_defaults.py`).
_HEAP_MIB_SLOT = 128
_HEAP_MIB_SPARK = 512

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
    # Every half hour Spark would have the whole heap collected, to learn which of its objects
    # nobody needs any more. A flow makes next to none, and all lanes stand still meanwhile.
    "spark.cleaner.periodicGC.interval": "24h",
}


class SparkLaunch:
    """
    The JVM on its way; `SparkProcess` connects to it.

    What is loaded before it, the JVM waits for: PySpark is not.

    Args:
        app: The application's name in Spark.
        slots: Tasks that will run at the same time, for ever: all flows' slots together.
        master: A Spark master URL; `None` runs everything in this process.
        settings: The operator's own `spark.*` settings.
        folder: Where Spark, its JVM and native libraries put their temporary files; without one in
            a work folder that is gone when this is closed.
        by_record: It does something with each single record.
        java_options: In place of those for the archive of classes.

    Raises:
        EnvironmentProblem: Java or the jars are missing, or nobody listens at the master.
    """

    def __init__(
        self,
        *,
        app: str,
        slots: int,
        master: str | None = None,
        settings: Mapping[str, Secret] | None = None,
        folder: Path | None = None,
        by_record: bool = True,
        java_options: str = "",
    ) -> None:
        os.environ["PYSPARK_PYTHON"] = sys.executable
        self.slots = slots
        self.master = Master(master or f"local[{slots + _SPARE_SLOTS + SPARE_CORES}]")
        with waiting("for Spark", f"reach the master {self.master.url}"):
            require_listener(self.master)
        jars = own_jars(report=_say_prepared)
        given = {name: value.reveal() for name, value in (settings or {}).items()}
        with ExitStack() as undo:
            self.folder = folder or undo.enter_context(work_folder())
            java = f"{java_options or archive_options(jars)} {driver_options(by_record=by_record)}"
            ours = {
                "spark.driver.memory": f"{heap_mib(slots)}m",
                "spark.driver.extraJavaOptions": f"{java} -Djava.io.tmpdir={self.folder}",
                "spark.executor.extraJavaOptions": executor_options(by_record=by_record),
            }
            self.settings = self._merged(app, ours, given, jars)
            self.settings["spark.local.dir"] = ",".join(
                str(self._local_folder(place, undo)) for place in _local_places(given)
            ) or str(self.folder)
            self.jvm = SparkJvm(self.settings, master=self.master.url, folder=self.folder)
            undo.callback(self.jvm.close)
            self._undo = undo.pop_all()

    def _merged(
        self, app: str, ours: dict[str, str], given: dict[str, str], jars: Sequence[Path]
    ) -> dict[str, str]:
        """Return Spark's settings: ours, the operator's, and what nobody may change."""
        merged = _DEFAULTS | ours | _place(self.master, given) | given | _FIXED
        merged |= class_path_settings(jars, merged, one_process=self.master.is_one_process)
        merged["spark.app.name"] = app
        merged["spark.master"] = self.master.url
        _warn_unprotected(self.master, given)
        return merged

    def _local_folder(self, place: Path, undo: ExitStack) -> Path:
        """Return the folder for blocks at a place that the operator has chosen."""
        if place.resolve() == self.folder.parent.resolve():
            return self.folder
        return undo.enter_context(work_folder(place))

    def close(self) -> None:
        """End the JVM, and remove its folders; a second time does nothing."""
        self._undo.close()


def heap_mib(slots: int) -> int:
    """
    Return how large the JVM's heap may grow unless the operator says it, MiB.

    Args:
        slots: All flows' slots together.
    """
    return _HEAP_MIB_SPARK + (slots + _SPARE_SLOTS) * _HEAP_MIB_SLOT


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
