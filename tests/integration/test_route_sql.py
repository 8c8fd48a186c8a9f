"""Spark gives copies the names that kmirror has created topics for."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys

import pytest

from kmirror.config.topic_sql import first_copy_sql
from kmirror.policy.regex import RegexProblem
from kmirror.policy.replication import DefaultReplicationPolicy, IdentityReplicationPolicy
from kmirror.policy.routed import RoutedPolicy
from kmirror.policy.routes import NameCondition, Route, read_format, read_route
from tests.property.test_routes import NAMES, REPLACEMENTS, random_pattern

pytestmark = pytest.mark.spark

ROUTES = 60
TOPICS = (*NAMES, "heartbeats", "B.heartbeats", "C.B.heartbeats", "my-heartbeats", "heartbeats.x")
_ENDED_S_MAX = 300
# Standard input: names, and expressions over them. Output: the rows, as JSON.
_PROGRAM = """
import json, sys
from pyspark.sql import SparkSession
names, expressions = json.load(sys.stdin)
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
rows = spark.createDataFrame([(name,) for name in names], "topic string")
print(json.dumps([list(row) for row in rows.selectExpr(*expressions).collect()]))
"""


def _routes(rng: random.Random) -> list[tuple[Route, ...]]:
    found: list[tuple[Route, ...]] = [
        (read_route(r"A\.(.*)", "$1"),),
        (read_route(r"(?:[^.]+\.)?(.*)", "dr.$1"), read_format("x-${topic}")),
        (read_format("it's \\ ${topic}"),),
        (read_route("(.*)", "y", NameCondition(pattern="A.a.*", negate=True)),),
        (read_route("a|ab|A(.)a", "$1", NameCondition(pattern="(?i)A.*", negate=False)),),
    ]
    while len(found) < ROUTES:
        try:
            found.append((read_route(random_pattern(rng), rng.choice(REPLACEMENTS)),))
        except RegexProblem:
            continue
    return found


@pytest.mark.parametrize("seed", [20263])
def test_sql_and_python_name_copies_alike(seed: int) -> None:
    """For each topic, the row's name is that of the topic that was created."""
    bases = (
        DefaultReplicationPolicy(separator="_"),
        IdentityReplicationPolicy(source_alias="A"),
        DefaultReplicationPolicy(),
    )
    policies = [
        RoutedPolicy(base=bases[at % len(bases)], routes=routes)
        for at, routes in enumerate(_routes(random.Random(seed)))
    ]
    expressions = [f"{first_copy_sql(policy, 'A')} as c{at}" for at, policy in enumerate(policies)]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps([TOPICS, expressions]),
        capture_output=True,
        text=True,
        timeout=_ENDED_S_MAX,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])
    for name, row in zip(TOPICS, rows, strict=True):
        for policy, copy in zip(policies, row, strict=True):
            assert copy == policy.format_remote_topic("A", name), (policy.routes, name)
