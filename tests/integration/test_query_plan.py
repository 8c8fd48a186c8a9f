"""What Spark does with a flow's rows, as its own plan of a running query says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kmirror.pipeline.plan_file import write_plan
from tests.support.flow_plan import IDLE
from tests.support.spark_program import run_spark_program, spark_folder

pytestmark = pytest.mark.spark

PROGRAM = """
import json, sys, threading
from pathlib import Path
from kmirror.clock import SystemClock
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.query import FlowQuery, QuerySpec
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.transform import Transform

folder, clock, never = Path(sys.argv[1]), SystemClock(), threading.Event()
process = SparkProcess(SparkLaunch(app="plan", slots=1, folder=folder), clock)
spark = process.open(clock, never)
spec = QuerySpec(
    flow="A->B",
    number=1,
    plan=folder / "plan.json",
    checkpoint=folder / "checkpoint",
    transform=Transform(target_topic="concat('A.', topic)"),
    whole_batches=True,
    bounded=False,
    batch_duration_s=5,
)
query = FlowQuery.start(spark, spec, Desk(process.gateway.jvm, clock), clock)
until_s = clock.monotonic_s() + 60
while not query.has_run and query.active and clock.monotonic_s() < until_s:
    clock.wait(never, 0.05)
print(json.dumps(query._query._jsq.explainInternal(False)))
query.stop(7, 0)
process.close()
"""


def test_whole_batches_pass_a_projection_and_nothing_else(tmp_path: Path) -> None:
    """Their bytes stay with the lane, so no operator may hold a row back, or send it elsewhere."""
    write_plan(IDLE, spark_folder(tmp_path) / "plan.json")
    plan = run_spark_program(PROGRAM, tmp_path)
    operators = re.findall(r"^[^\w\n]*(?:\d+\) )?(\w+)", plan, re.MULTILINE)
    assert operators[-3:] == ["WriteToDataSourceV2", "Project", "RealTimeStreamScan"], plan
