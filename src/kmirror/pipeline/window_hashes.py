"""Counts and hashes windows of both clusters, by one batch query of Spark."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - everybody writes it so

from kmirror.errors import PipelineError
from kmirror.pipeline.jvm_calls import calling_jvm
from kmirror.pipeline.window_plan import WindowSide, write_window_plan
from kmirror.wire.audit_windows import Hashed

_HASH_DIGITS = 16
_UNSIGNED = (1 << 64) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadWindow:
    """
    What was read of one window.

    Args:
        hashed: Count and hashes.
        stamped: The log gives records their timestamps itself (LogAppendTime).
        trouble: Why it could not be read to its end; empty when it was.
    """

    hashed: Hashed = field(default_factory=Hashed)
    stamped: bool = False
    trouble: str = ""


class WindowHashes:
    """
    Reads windows in Spark's tasks.

    Args:
        spark: The process's session; the queries get one of their own beside it.
        folder: For the files that tell the tasks what to read.
        name: Of the flow, for Spark's pages and for `cancel`.
        tasks: How many tasks each side has at most, side by side.
        timeout_s: How long a partition may give nothing, seconds.
    """

    def __init__(
        self, spark: SparkSession, folder: Path, *, name: str, tasks: int, timeout_s: float
    ) -> None:
        self._parent = spark
        self._spark: SparkSession | None = None
        self._folder = folder
        self._name = name
        self._group = f"kmirror-audit {name}"
        self._tasks = tasks
        self._timeout_s = timeout_s

    @calling_jvm()
    def read(self, *sides: WindowSide, bytes_per_second: int) -> dict[int, ReadWindow]:
        """
        Read windows; gives what was read by their numbers, which are another for each.

        Args:
            sides: What to read.
            bytes_per_second: How fast each side is read at most; 0 for as fast as it can.

        Raises:
            PipelineError: Spark did not do it.
        """
        spark = self._session()
        context = spark.sparkContext
        context.setJobGroup(self._group, f"{self._name}: audit", interruptOnCancel=True)
        context.setLocalProperty("mdc.flow", self._name)
        rows: DataFrame | None = None
        for number, side in enumerate(sides):
            path = self._folder / f"windows-{number}.json"
            write_window_plan(
                side,
                path,
                tasks=self._tasks,
                bytes_per_second=bytes_per_second,
                timeout_s=self._timeout_s,
            )
            read = spark.read.format("kmirror").option("windows", str(path)).load()
            rows = read if rows is None else rows.unionAll(read)
        assert rows is not None, "there is a side to read"
        try:
            found = _hashed(rows).collect()
        except (PySparkException, Py4JJavaError) as error:
            raise PipelineError(
                f"{self._name}: Spark did not read windows for the audit: "
                f"{str(error).splitlines()[0]}"
            ) from error
        return {
            row["window"]: ReadWindow(
                hashed=Hashed(
                    records=row["records"],
                    bytes=row["bytes"],
                    hash=_digits(row["hash"]),
                    content_hash=_digits(row["content"]),
                ),
                stamped=row["stamped"],
                trouble=row["trouble"] or "",
            )
            for row in found
        }

    @calling_jvm()
    def cancel(self) -> None:
        """End what is being read, from any thread."""
        self._parent.sparkContext.cancelJobGroup(self._group)

    def _session(self) -> SparkSession:
        if self._spark is None:
            self._spark = self._parent.newSession()
            # What is left of a window after a task is one row: nothing to spread.
            self._spark.conf.set("spark.sql.shuffle.partitions", "1")
        return self._spark


def no_records() -> Hashed:
    """Return what a window without records gives."""
    return Hashed(hash=_digits(0), content_hash=_digits(0))


def _hashed(rows: DataFrame) -> DataFrame:
    """
    Sum up each window in one row.

    A record's hash has its place in the window in it, so their sum by exclusive or depends on the
    order. Whether a part is null is hashed besides: Spark's hash passes over nulls.
    """
    is_record = F.col("trouble").isNull()
    content = F.xxhash64(
        F.col("place"), _is_null("key"), F.col("key"), _is_null("value"), F.col("value"), "headers"
    )
    rows = rows.select("window", "bytes", "timestamp", "stamped", "trouble", content.alias("one"))
    return rows.groupBy("window").agg(
        F.count_if(is_record).alias("records"),
        F.sum("bytes").alias("bytes"),
        F.bit_xor("one").alias("content"),
        F.bit_xor(F.xxhash64("one", "timestamp")).alias("hash"),
        F.max("stamped").alias("stamped"),
        F.max("trouble").alias("trouble"),
    )


def _is_null(column: str) -> Column:
    return F.col(column).isNull()


def _digits(number: int) -> str:
    return f"{number & _UNSIGNED:0{_HASH_DIGITS}x}"
