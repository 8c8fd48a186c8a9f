"""One Spark session for all flows of a process."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import SparkSession

from kmirror.clock import Clock
from kmirror.errors import EnvironmentProblem
from kmirror.jvm import JarSet, connector_jar, jar_folder

# The lanes' tasks never end, so other jobs (none today) and Spark's own work need cores beside them.
SPARE_CORES = 2
_EXECUTORS_WAIT_S_MAX = 60.0
_LOGGING = Path(__file__).with_name("log4j2.properties")

# Settings without which a flow would be slow, silent or wrong; users may override others.
_FIXED = {
    "spark.plugins": "io.kmirror.Plugin",
    # A speculative copy of a task would fence the original.
    "spark.speculation": "false",
    # Our sink is not on Spark's list of known ones.
    "spark.sql.streaming.realTimeMode.allowlistCheck": "false",
    "spark.sql.streaming.realTimeMode.asyncProgressTrackingByDefault.enabled": "false",
}
_DEFAULTS = {
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.scheduler.mode": "FAIR",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.streaming.minBatchesToRetain": "2",
    "spark.locality.wait": "0",
}


def open_session(
    *, app: str, slots: int, master: str | None, settings: Mapping[str, str], clock: Clock
) -> SparkSession:
    """
    Start Spark with the connector on its class path.

    Args:
        app: The application's name in Spark.
        slots: Tasks that will run at the same time, for ever: all flows' slots together.
        master: A Spark master URL; `None` runs everything in this process.
        settings: The operator's own `spark.*` settings.
        clock: For waiting until a cluster's executors have registered.

    Raises:
        EnvironmentProblem: Java or the jars are missing, or the master has too few cores: a slot
            without a core would read nothing, and Spark would not say so.
    """
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    jars = [connector_jar(), *sorted(jar_folder(JarSet.CLIENTS).glob("*.jar"))]
    builder = SparkSession.builder.appName(app).master(master or f"local[{slots + SPARE_CORES}]")
    logging = f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}"
    java_options = {"spark.driver.extraJavaOptions": logging}
    merged = _DEFAULTS | java_options | dict(settings) | _FIXED
    merged["spark.jars"] = ",".join([str(jar) for jar in jars] + _extra_jars(settings))
    for key, value in merged.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    _await_cores(spark, slots, clock)
    return spark


def _extra_jars(settings: Mapping[str, str]) -> list[str]:
    return [jar for jar in settings.get("spark.jars", "").split(",") if jar]


def _await_cores(spark: SparkSession, slots: int, clock: Clock) -> None:
    deadline_s = clock.monotonic_s() + _EXECUTORS_WAIT_S_MAX
    never = threading.Event()
    while (cores := spark.sparkContext.defaultParallelism) < slots:
        if clock.monotonic_s() > deadline_s:
            master = spark.sparkContext.master
            spark.stop()
            raise EnvironmentProblem(
                f"{master} offers {cores} cores, the flows need {slots}: one for each slot",
                hint="give Spark more cores, or lower kmirror.slots",
            )
        clock.wait(never, 0.2)
