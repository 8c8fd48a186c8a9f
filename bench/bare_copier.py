"""
`kmirror run` whose lanes run in threads of their own instead of a Spark query.

The same program, the same JVM, the same lanes: what the real one needs more is what Spark costs.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pyspark.sql import SparkSession

from kmirror.cli.verbs import program
from kmirror.clock import Clock
from kmirror.jvm.connector import compile_connector, connector_jar
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.query import FlowQuery, QuerySpec

_SOURCES = Path(__file__).with_name("java")


@cache
def bare_copier_jar() -> Path:
    """Give `io.kmirror.BareCopier`, for the driver's class path (`kmirror.spark.jars`)."""
    folder = tempfile.mkdtemp(prefix="kmirror-bare-copier-")
    atexit.register(shutil.rmtree, folder)
    sources = sorted(_SOURCES.rglob("*.java"))
    return compile_connector(sources, _SOURCES / "none", Path(folder), beside=[connector_jar()])


class _BareQuery:
    """What a generation wants to know of a query, answered by the bare copier."""

    def __init__(self, copier: Any) -> None:
        self._copier = copier

    @property
    def active(self) -> bool:
        return bool(self._copier.active())

    def failure(self) -> str:
        return str(self._copier.failure())

    def stop(self, _generation: int, _timeout_s: float) -> bool:
        self.abort()
        return not self.failure()

    def abort(self) -> None:
        self._copier.stop()


def _start(spark: SparkSession, spec: QuerySpec, _desk: Desk, _clock: Clock) -> _BareQuery:
    jvm: Any = spark._jvm  # noqa: SLF001 - no public way
    return _BareQuery(jvm.io.kmirror.BareCopier(str(spec.plan)))


if __name__ == "__main__":
    with patch.object(FlowQuery, "start", _start):
        program()()
