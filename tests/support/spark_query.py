"""
A Structured Streaming query as its users have one: from a topic of Kafka's into files, once.

`python -m tests.support.spark_query BOOTSTRAP TOPIC CHECKPOINT OUTPUT [STARTING_OFFSETS]` reads all
that is there, ends, and prints the values of all files that the query has ever written.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from kmirror.jvm import CLIENTS, jar_folder
from tests.support.spark_kafka import SPARK_KAFKA

_ENDED_S_MAX = 300


def run_query(*arguments: str | Path) -> list[str]:
    """Run the query in a process of its own; give the values that it has written so far, sorted."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, *arguments],
        capture_output=True,
        text=True,
        timeout=_ENDED_S_MAX,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    values: list[str] = json.loads(done.stdout.splitlines()[-1])
    return values


def main(
    bootstrap: str, topic: str, checkpoint: str, output: str, starting: str = "earliest"
) -> None:
    """Run it here."""
    jars = [path for jars in (SPARK_KAFKA, CLIENTS) for path in jar_folder(jars).glob("*.jar")]
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.jars", ",".join(map(str, jars)))
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    records = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", bootstrap)
        .option("subscribe", topic)
        .option("startingOffsets", starting)
        .load()
    )
    query = (
        records.selectExpr("cast(value as string) as value")
        .writeStream.format("text")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start(output)
    )
    query.awaitTermination()
    values = sorted(row.value for row in spark.read.text(output).collect())
    sys.stdout.write(f"{json.dumps(values)}\n")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
