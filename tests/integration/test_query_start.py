"""A query of real Spark that begins before it has a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.pipeline.plan_file import write_plan
from tests.support.flow_plan import IDLE
from tests.support.spark_program import run_spark_program, spark_folder

pytestmark = pytest.mark.spark

PROGRAM = """
import json, sys, threading
from pathlib import Path
from types import SimpleNamespace
from kmirror.clock import SystemClock
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.engine import EngineStart
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.query import QuerySpec, QueryStart
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.transform import Transform

folder, clock, never = Path(sys.argv[1]), SystemClock(), threading.Event()
process = SparkProcess(SparkLaunch(app="start", slots=1, folder=folder), clock)
engines, desk = EngineStart(clock), Desk(process.gateway.jvm, clock)

def begin(number):
    spec = QuerySpec(
        flow="A->B",
        number=number,
        plan=folder / f"plan-{number}.json",
        checkpoint=folder / f"checkpoint-{number}",
        transform=Transform(target_topic="concat('A.', topic)"),
        whole_batches=True,
        bounded=False,
        batch_duration_s=5,
    )
    return QueryStart(engines, spec, desk, clock)

def until(holds):
    until_s = clock.monotonic_s() + 60
    while not holds() and clock.monotonic_s() < until_s:
        clock.wait(never, 0.02)
    return holds()

def is_planning(query):
    return until(lambda: query._query.status["isTriggerActive"])

first = begin(1)
engines.finish(SimpleNamespace(spark=process.open(clock, never)))
query = first.query()
told = {"planning": is_planning(query), "ran early": query.has_run}
first.spec.plan.symlink_to(folder / "plan.json")
told["ran"] = until(lambda: query.has_run)
# Spark marks so what it has compiled.
told["compiled"] = "*(" in query._query._jsq.explainInternal(False)
told["at rest"] = query.stop(7, 30)
second = begin(2)
given_up = second.query()
told["planning again"] = is_planning(given_up)
for each in (first, second):
    each.close()
told["ended"] = until(lambda: not given_up.active)
told["failure"] = given_up.failure()
third = begin(3)
third.close()
left = lambda: [each.name for each in (*folder.glob("checkpoint-*"), *folder.glob("plan-*"))]
until(lambda: not left())
told["left"] = left()
print(json.dumps(told))
process.close()
"""


def test_a_query_waits_for_its_plan(tmp_path: Path) -> None:
    """
    It has come to where it needs one; given up there, it ends well and leaves nothing.

    Spark compiles nothing for whole batches.
    """
    write_plan(IDLE, spark_folder(tmp_path) / "plan.json")
    assert run_spark_program(PROGRAM, tmp_path) == {
        "planning": True,
        "ran early": False,
        "ran": True,
        "compiled": False,
        "at rest": True,
        "planning again": True,
        "ended": True,
        "failure": "",
        "left": [],
    }
