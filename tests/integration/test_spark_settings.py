"""Spark's settings reach it, and no command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.jvm import find_java
from tests.support.spark_program import run_spark_program

pytestmark = [pytest.mark.kafka, pytest.mark.spark]

CANARY = "S3CR3T = canary \\ : with 'quotes' and \u00fc"
NAME = "spark.hadoop.fs.s3a.secret.key"
# A launcher's JVM lives for less than a second: each Java writes down its own command line.
JAVA = """#!/bin/sh
tr '\\0' '\\n' < /proc/$$/cmdline >> {log}
exec {java} "$@"
"""
PROGRAM = """
import json, sys, threading
from pathlib import Path
from kmirror.clock import SystemClock
from kmirror.config.secret import Secret
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.session import SparkProcess

name, value, folder = sys.argv[1], sys.stdin.readline().rstrip("\\n"), Path(sys.argv[2])
clock = SystemClock()
given = {name: Secret(value)}
process = SparkProcess(SparkLaunch(app="settings", slots=1, settings=given, folder=folder), clock)
spark = process.open(clock, threading.Event())
pids = [pid for pid in Path("/proc").iterdir() if pid.name.isdecimal()]
print(json.dumps({
    "java": process.pid,
    "running": [(pid / "cmdline").read_bytes().decode(errors="replace") for pid in pids
                if (pid / "cmdline").exists()],
    "conf": spark.sparkContext.getConf().get(name),
    "system": process.gateway.jvm.java.lang.System.getProperty(name),
    "left": [str(path) for path in folder.rglob("*.properties")],
}))
process.close()
"""


def test_secrets_of_spark_stand_on_no_command_line(tmp_path: Path) -> None:
    """Neither a shell's nor any JVM's; the file they came by is gone when Spark is there."""
    home = tmp_path / "java"
    (home / "bin").mkdir(parents=True)
    log = tmp_path / "command-lines"
    java = home / "bin" / "java"
    java.write_text(JAVA.format(log=log, java=find_java().path))
    java.chmod(0o755)
    told = run_spark_program(
        PROGRAM, tmp_path, NAME, given=f"{CANARY}\n", environ={"JAVA_HOME": str(home)}
    )
    assert told["conf"] == CANARY
    started = log.read_text()
    assert "org.apache.spark.launcher.Main" in started
    assert "org.apache.spark.deploy.SparkSubmit" in started
    assert any("org.apache.spark.deploy.SparkSubmit" in line for line in told["running"])
    for lines in (started, *told["running"]):
        assert "S3CR3T" not in lines
    assert told["left"] == []
