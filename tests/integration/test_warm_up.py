"""What nodes and Connect workers run before they have flows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.spark_program import run_spark_program

pytestmark = pytest.mark.spark

PROGRAM = """
import json, subprocess, sys, threading
from pathlib import Path
from kmirror.clock import SystemClock
from kmirror.jvm import find_java
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.warm_up import warm_up

folder, clock, never = Path(sys.argv[1]), SystemClock(), threading.Event()
process = SparkProcess(SparkLaunch(app="warm-up", slots=1, folder=folder), clock)
spark = process.open(clock, never)
desk = Desk(process.gateway.jvm, clock)
has_run = warm_up(spark, desk, folder, clock, never, timeout_s=60)

def is_loaded(name):
    ask = [find_java().tool("jcmd"), str(process.pid), "VM.class_hierarchy", name]
    return name in subprocess.run(ask, check=True, capture_output=True, text=True).stdout

# Spark runs a task of its own where a source has none.
READER = "io.kmirror.spark.IdleReader"
REFLECTION = "scala.reflect.runtime.JavaUniverse"
threads = process.gateway.jvm.java.lang.Thread.getAllStackTraces().keySet()
print(json.dumps({
    "has_run": has_run,
    "read": is_loaded(READER),
    "reflects": is_loaded(REFLECTION),
    "reports": len([*desk.collect("warm-up-batches"), *desk.collect("warm-up-records")]),
    "clients": [thread.getName() for thread in threads if "kafka" in thread.getName()],
}))
process.close()
"""


def test_a_task_runs_and_opens_nothing(tmp_path: Path) -> None:
    """
    A task has read to its end; no client of Kafka's was made, and no lane reports.

    Nothing has begun Scala's reflection, which would take a third of the time of a start.
    """
    told = run_spark_program(PROGRAM, tmp_path)
    assert told == {"has_run": True, "read": True, "reflects": False, "reports": 0, "clients": []}
