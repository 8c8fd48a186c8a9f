"""The parts of the benchmark: what each measures, and against whom."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """What can be measured alone."""

    CATCH_UP = "catch-up"
    LATENCY = "latency"
    PARTITIONS = "partitions"
    SCALE = "scale"
    GROUPS = "groups"
    MANY_TOPICS = "many-topics"
    LIMIT = "limit"
    SPARK_CLUSTER = "spark-cluster"
    TAKEOVER = "takeover"
    STREAMS = "streams"
    START = "start"
    AUDIT = "audit"
    BATCHES = "batches"
    PLANS = "plans"
    COMMITS = "commits"
    WAN = "wan"

    @property
    def command(self) -> str:
        """What measures it."""
        if self is Part.WAN:
            return "sudo python -m bench.wan"
        return f"python -m bench --only {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """
    What a part is, in a line.

    Args:
        measures: What it measures.
        against: Whom kmirror stands beside.
        more: What else a reader of its numbers has to know.
    """

    measures: str
    against: str
    more: str = ""


_ALONE = "nobody"
_BOTH = "MM2 default, and tuned for exactly once"

ABOUT: dict[Part, About] = {
    Part.CATCH_UP: About(
        measures="how fast a backlog is copied, and at what cost in processor time and memory",
        against="MM2 default, tuned, and tuned for exactly once; `kafka-producer-perf-test`; "
        "kmirror's lanes without Spark",
    ),
    Part.LATENCY: About(
        measures="how old records are when a consumer of the target gets them, for both isolation "
        "levels",
        against=_BOTH,
    ),
    Part.PARTITIONS: About(
        measures="whether a stream over 1,000 and 10,000 partitions is kept up with, and in how "
        "much memory",
        against=_ALONE,
    ),
    Part.SCALE: About(
        measures="what a process costs with 100 to 10,000 partitions and with 1 to 100 flows: "
        "processor time, memory, requests to brokers; and 10,000 partitions at the rate that the "
        "source takes",
        against=_ALONE,
    ),
    Part.GROUPS: About(
        measures="how soon the target has the offsets of 1,000 consumer groups", against=_ALONE
    ),
    Part.MANY_TOPICS: About(measures="plans, rest and orders with 10,000 topics", against=_ALONE),
    Part.LIMIT: About(
        measures="what a catch-up leaves to the target's own producers, with and without a limit",
        against="MM2 tuned",
    ),
    Part.SPARK_CLUSTER: About(
        measures="two executors of a Spark cluster", against="two slots in one process"
    ),
    Part.TAKEOVER: About(
        measures="how long a flow stands still when the node that copies ends", against=_BOTH
    ),
    Part.STREAMS: About(
        measures="how fast `kmirror mm1` drains a backlog with 1, 2 and 4 streams", against=_ALONE
    ),
    Part.START: About(
        measures="a start, from nothing and after a `kill -9`, to the first record",
        against=_BOTH,
        more="[Starts](starts.md) says where each second goes, and what else the machine did.",
    ),
    Part.AUDIT: About(measures="what an audit costs beside the copy", against="the copy itself"),
    Part.BATCHES: About(
        measures="what it costs to end Spark's batches, and not to: memory, and pauses of the JVM",
        against="itself, with batches of five minutes",
    ),
    Part.PLANS: About(
        measures="how long records of partitions that stay wait when a plan changes",
        against="itself, with no new plan",
    ),
    Part.COMMITS: About(
        measures="what it costs the brokers that a stream's records are committed soon",
        against="itself, with commits by the clock",
    ),
    Part.WAN: About(
        measures="rate, latency and processor time over links with delay and loss",
        against="MM2 tuned for exactly once",
    ),
}
