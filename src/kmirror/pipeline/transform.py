"""
From source rows to target rows: the operator's SQL, then the target topic's name.

Any native Spark SQL expression may stand here. What needs a shuffle may not, because it would
change the order; what runs Python may not either, because in real-time mode its rows arrive at the
end of the batch only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - everybody writes it so
from pyspark.sql.types import StructType

from kmirror.errors import ConfigError, Problem

COLUMNS = ("topic", "partition", "offset", "timestamp", "key", "value", "headers")
SCHEMA = (
    "topic string, partition int, offset bigint, timestamp bigint, key binary, value binary, "
    "headers array<struct<key: string, value: binary>>"
)
_TYPES = {
    "timestamp": "bigint",
    "key": "binary",
    "value": "binary",
    "headers": "array<struct<key: string, value: binary>>",
}
# Physical operators that would reorder rows, hold them back, or multiply them.
_REFUSED = ("Exchange", "Sort", "Window", "Aggregate", "Python", "InArrow", "Generate", "Join")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    """
    What happens to a flow's records on their way.

    Args:
        target_topic: SQL expression over the column `topic` that gives the target topic's name.
        where: SQL condition over the source's columns; records it does not hold for are dropped.
        select: (column, SQL expression) for columns that change: key, value, headers, timestamp.
    """

    target_topic: str
    where: str | None = None
    select: Sequence[tuple[str, str]] = ()


def apply_transform(rows: DataFrame, transform: Transform) -> DataFrame:
    """Give the rows that the sink writes."""
    if transform.where is not None:
        rows = rows.where(transform.where)
    changed = {column: F.expr(sql).cast(_TYPES[column]) for column, sql in transform.select}
    topic = F.expr(transform.target_topic).alias("topic")
    return rows.select(topic, *(changed.get(name, F.col(name)).alias(name) for name in COLUMNS[1:]))


def check_syntax(gateway: Any, transform: Transform, *, where: str) -> None:
    """
    Parse the transform's texts; needs a JVM but no session, so it answers within seconds.

    Args:
        gateway: The JVM's.
        transform: What to check.
        where: The file (and flow) to name in an error.

    Raises:
        ConfigError: Spark's parser does not understand one of them; names all of them.
    """
    parser = gateway.jvm.org.apache.spark.sql.catalyst.parser.CatalystSqlParser()
    texts = [("kmirror.where", transform.where)] if transform.where is not None else []
    texts += [(f"kmirror.select.{column}", sql) for column, sql in transform.select]
    problems = []
    for key, sql in texts:
        try:
            parser.parseExpression(sql)
        except Py4JJavaError as error:
            lines = [line for line in str(error.java_exception.getMessage()).splitlines() if line]
            expected = f"expected a Spark SQL expression; {lines[0]}"
            problems.append(Problem(where=where, key=key, value=sql, expected=expected))
    if problems:
        raise ConfigError(tuple(problems))


def check_transform(spark: SparkSession, transform: Transform, *, where: str) -> None:
    """
    Plan the transform on an empty table, and look at the plan.

    Args:
        where: The file (and flow) to name in an error.

    Raises:
        ConfigError: Spark does not understand it, or it would shuffle, multiply or run Python.
    """
    empty = spark.createDataFrame([], _schema(spark))
    try:
        rows = apply_transform(empty, transform)
        plan = rows._jdf.queryExecution().sparkPlan().toString()  # noqa: SLF001 - no public way
    except (PySparkException, Py4JJavaError) as error:
        raise ConfigError((_problem(where, transform, str(error).split("\n", 1)[0]),)) from error
    refused = [operator for operator in _REFUSED if operator in plan]
    if refused:
        why = (
            f"needs the Spark operator {', '.join(refused)}: kmirror keeps the order of records, "
            "so only conditions and projections on one record at a time are possible"
        )
        raise ConfigError((_problem(where, transform, why),))


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


def _problem(where: str, transform: Transform, expected: str) -> Problem:
    parts = [f"where {transform.where}"] if transform.where is not None else []
    parts += [f"select.{column} {sql}" for column, sql in transform.select]
    return Problem(
        where=where, key="kmirror.where / kmirror.select", value="; ".join(parts), expected=expected
    )
