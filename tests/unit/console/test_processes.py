"""kmirror's own processes."""

from __future__ import annotations

from kmirror.clock import SystemClock
from kmirror.console.processes import Processes
from kmirror.pipeline.figures import SparkFigures
from tests.support.synthetic_flow import JVM


def test_spark_is_told_when_it_is_there() -> None:
    """And the JVMs are asked now and then, however many look."""
    asked: list[None] = []

    def jvm() -> SparkFigures:
        asked.append(None)
        return JVM

    (alone,) = Processes("host:7", "driver", lambda: None, SystemClock()).all()
    assert (alone.role, alone.threads) == ("driver", None)
    processes = Processes("host:7", "driver", jvm, SystemClock())
    found = processes.all()
    assert processes.all() is found
    assert len(asked) == 1
    assert [each.role for each in found] == ["driver", "driver of Spark", "executor of Spark"]
    this, driver, executor = found
    assert (this.name, driver.name, executor.name) == ("host:7", "host", "1 on h")
    assert (driver.heap_bytes, driver.gc_s, this.heap_bytes) == (1, 0.5, None)
