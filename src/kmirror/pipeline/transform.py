"""
From source rows to target rows: the operator's SQL, then the target topic's name.

Any native Spark SQL expression may stand here. What needs a shuffle may not, because it would
change the order; what runs Python may not either, because in real-time mode its rows arrive at the
end of the batch only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - everybody writes it so
from pyspark.sql.types import StructType

from kmirror.config.provenance_sql import PROVENANCE_COLUMN, WRITTEN_COLUMN, ProvenanceSql
from kmirror.config.sql import SqlText
from kmirror.errors import Problem

COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
_TYPES = {
    "timestamp": "bigint",
    "key": "binary",
    "value": "binary",
    "headers": "array<struct<key: string, value: binary>>",
}
_SPARKS_LOGS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
# Physical operators that take one row and give one row or none. All others would reorder records,
# hold them back, or multiply them.
_ALLOWED = {"Project", "Filter", "LocalTableScan", "Scan ExistingRDD"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """
    What happens to a flow's records on their way.

    Args:
        target_topic: SQL expression over the column `topic` that gives the target topic's name.
        where: Condition over the source's columns; records it does not hold for are dropped.
        left: Another one: the records that Connect's transforms leave.
        select: (column, expression) for columns that change: key, value, headers, timestamp.
        provenance: What is read of records' own headers, and written into those of copies.
    """

    target_topic: str
    where: SqlText | None = None
    left: SqlText | None = None
    select: Sequence[tuple[str, SqlText]] = ()
    provenance: ProvenanceSql | None = None


def apply_transform(rows: DataFrame, transform: Transform) -> DataFrame:
    """Return the rows that the sink writes."""
    for condition in (transform.left, transform.where):
        if condition is not None:
            rows = rows.where(condition.sql)
    columns = rows.columns
    provenance = transform.provenance
    if provenance is not None:
        rows = rows.where(provenance.keep).withColumns(
            {
                PROVENANCE_COLUMN: F.expr(provenance.read),
                WRITTEN_COLUMN: F.col("timestamp"),
            }
        )
    changed = {column: F.expr(text.sql).cast(_TYPES[column]) for column, text in transform.select}
    if provenance is not None:
        # Its sum is of key and value as they are written, so these come first.
        rows = rows.withColumns(changed)
        changed = {"headers": F.expr(provenance.headers).cast(_TYPES["headers"])}
    topic = F.expr(transform.target_topic).alias("topic")
    others = [name for name in columns if name != "topic"]
    return rows.select(topic, *(changed.get(name, F.col(name)).alias(name) for name in others))


def transform_problems(spark: SparkSession, transform: Transform) -> tuple[Problem, ...]:
    """
    Parse each of the transform's texts, plan it on an empty table, and look at the plan.

    Args:
        spark: A session; nothing runs in it.
        transform: What to check.

    Returns:
        What Spark does not understand, and what would shuffle, multiply or hold back records.
    """
    for name in _SPARKS_LOGS:
        # It writes the whole trace of what is caught, and told in one line, here.
        PySparkLogger.getLogger(name).disabled = True
    jvm: Any = spark._jvm  # noqa: SLF001 - no public way
    parser = jvm.org.apache.spark.sql.catalyst.parser.CatalystSqlParser()
    empty = spark.createDataFrame([], _schema(spark))
    checks = [
        (text, replace(transform, where=None, left=None, select=((column, text),)))
        for column, text in transform.select
    ]
    if transform.where is not None:
        checks.insert(0, (transform.where, replace(transform, left=None, select=())))
    if transform.left is not None:
        checks.insert(0, (transform.left, replace(transform, where=None, select=())))
    found = [_syntax_problem(parser, sql) or _plan_problem(empty, sql, one) for sql, one in checks]
    return tuple(problem for problem in found if problem is not None)


def _syntax_problem(parser: Any, text: SqlText) -> Problem | None:
    try:
        parsed = parser.parseExpression(text.sql)
    except (PySparkException, Py4JJavaError) as error:
        return text.problem(f"expected a Spark SQL expression; {_first_line(error)}")
    if parsed.getClass().getSimpleName() in {"Alias", "UnresolvedAlias", "MultiAlias"}:
        # `a = 1 and` is one: the parser takes the last word for a name.
        return text.problem(f"expected an expression without a name; Spark reads {parsed}")
    return None


def _plan_problem(empty: DataFrame, text: SqlText, transform: Transform) -> Problem | None:
    try:
        rows = apply_transform(empty, transform)
        plan = rows._jdf.queryExecution().sparkPlan()  # noqa: SLF001 - no public way
    except (PySparkException, Py4JJavaError) as error:
        return text.problem(_first_line(error))
    refused = sorted(set(_operators(plan)) - _ALLOWED)
    if not refused:
        return None
    return text.problem(
        f"needs the Spark operator {', '.join(refused)}: kmirror keeps the order of records, so "
        "only conditions and projections on one record at a time are possible"
    )


def _first_line(error: Exception) -> str:
    lines = (line.rstrip(" ;") for line in str(error).splitlines())
    return next(line for line in lines if line)


def _operators(plan: Any) -> Iterator[str]:
    """Yield the names of a physical plan's operators, those of its subqueries included."""
    yield str(plan.nodeName())
    for below in (plan.children(), plan.subqueries()):
        for index in range(below.size()):
            yield from _operators(below.apply(index))


def _schema(spark: SparkSession) -> StructType:
    return spark.sql("select " + ", ".join(_column(field) for field in _fields())).schema


def _fields() -> list[tuple[str, str]]:
    types = {
        "topic": "string",
        "partition": "int",
        "offset": "bigint",
    } | _TYPES
    return [(name, types[name]) for name in COLUMNS]


def _column(field: tuple[str, str]) -> str:
    name, sql_type = field
    return f"cast(null as {sql_type}) as {name}"
