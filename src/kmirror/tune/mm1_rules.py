"""What MirrorMaker 1's settings can do to records, and to how fast they are copied."""

from __future__ import annotations

from collections.abc import Iterator

from kmirror.tune.case import Case
from kmirror.tune.consumer_rules import fetch_answer, fetch_min, fetch_size, fetch_wait
from kmirror.tune.finding import MM2_ONLY, Finding, Level
from kmirror.tune.link import INT_MAX
from kmirror.tune.link_rules import LINK_RULES
from kmirror.tune.link_units import size_text, time_text
from kmirror.tune.memory_rules import MEMORY_RULES
from kmirror.tune.producer_rules import (
    RETRIES_MIN,
    acks,
    batch_size,
    in_flight,
    linger,
)

_STREAMS, _COMMIT, _ABORT = "num.streams", "offset.commit.interval.ms", "abort.on.send.failure"
_STRATEGY, _AUTO_COMMIT = "partition.assignment.strategy", "enable.auto.commit"
_RESET, _RETRIES = "auto.offset.reset", "retries"
_MANY_PARTITIONS, _MORE_STREAMS = 16, 4
_COMMIT_MS = 10_000
_ROUND_ROBIN = "org.apache.kafka.clients.consumer.RoundRobinAssignor"


def streams(case: Case) -> Iterator[Finding]:
    """Judge `num.streams`: each is a thread with a consumer, and all share one producer."""
    number, partitions = case.connector.number(_STREAMS), case.measured.partitions
    if number is None or not partitions:
        return
    if number > partitions:
        says, instead = f"there are {partitions} partitions: other streams get none", partitions
    elif number == 1 and partitions >= _MANY_PARTITIONS:
        says, instead = f"one stream copies {partitions} partitions", _MORE_STREAMS
    else:
        return
    yield Finding(
        level=Level.ADVICE,
        flow="",
        lines=(case.connector.line(_STREAMS),),
        says=says,
        why="a partition has one stream at a time, of all instances together; a stream reads, and "
        "all of them write through one producer",
        instead=(case.connector.setting(_STREAMS, instead),),
        kmirror="tasks.max above 1 is the number of slots; each has its consumer and producers",
    )


def commit_interval(case: Case) -> Iterator[Finding]:
    """Judge the commit interval: it is what a kill repeats."""
    interval_ms = case.connector.number(_COMMIT)
    if interval_ms is None or interval_ms <= _COMMIT_MS:
        return
    rate = case.measured.target.bytes_per_s
    much = f", up to {size_text(rate * interval_ms / 1000)} on this link" if rate else ""
    yield Finding(
        level=Level.WARNING,
        flow="",
        lines=(case.connector.line(_COMMIT),),
        says=f"a process that dies repeats what it copied in the last {time_text(interval_ms)}"
        f"{much}",
        why="it flushes its producer and then commits, once in this time and on each rebalance; "
        "between commits nobody knows what has arrived",
        instead=(case.connector.setting(_COMMIT, _COMMIT_MS),),
        kmirror="no effect: positions and records are one transaction, so nothing is repeated",
    )


def assignment(case: Case) -> Iterator[Finding]:
    """Judge how partitions are assigned: by range, each topic's first ones go to the same."""
    text, number = case.consumer.text(_STRATEGY), case.connector.number(_STREAMS)
    if text is None or number is None or number < 2 or "RangeAssignor" not in text:
        return
    yield Finding(
        level=Level.ADVICE,
        flow="",
        lines=(case.consumer.line(_STRATEGY), case.connector.line(_STREAMS)),
        says="the first streams get the first partitions of every topic, and the last ones few",
        why="RangeAssignor deals out each topic by itself: of many topics with few partitions all "
        "are on the same streams",
        instead=(case.consumer.setting(_STRATEGY, _ROUND_ROBIN),),
        kmirror="assigns partitions to slots itself; no rebalance stops it",
    )


def retries(case: Case) -> Iterator[Finding]:
    """Judge `retries`: who gives up ends, or loses the record."""
    number = case.producer.number(_RETRIES)
    if number is None or number >= RETRIES_MIN:
        return
    ends = (case.connector.text(_ABORT) or "").lower() != "false"
    yield Finding(
        level=Level.DANGER,
        flow="",
        lines=(case.producer.line(_RETRIES), case.connector.line(_ABORT)),
        says="the producer gives up after a moment of trouble"
        + (", and the process ends" if ends else ", and the record is lost"),
        why="time limits retries, not their number: see delivery.timeout.ms. (Without the line it "
        "is the same.)",
        instead=(case.producer.setting(_RETRIES, INT_MAX),),
        kmirror=case.producer.kmirror_text(_RETRIES),
    )


def lost_sends(case: Case) -> Iterator[Finding]:
    """Judge `abort.on.send.failure`: without it a failed record is counted, and left behind."""
    if (case.connector.text(_ABORT) or "").lower() != "false":
        return
    yield Finding(
        level=Level.DANGER,
        flow="",
        lines=(case.connector.line(_ABORT),),
        says="a record that cannot be sent is lost, and the next commit goes beyond it",
        why="only the metric numDroppedMessages knows of it",
        instead=(case.connector.setting(_ABORT, "true"),),
        kmirror="never leaves out a record unless kmirror.poison says so, and names each one",
    )


def auto_commit(case: Case) -> Iterator[Finding]:
    """Judge `enable.auto.commit`: what is read counts as copied."""
    if (case.consumer.text(_AUTO_COMMIT) or "").lower() != "true":
        return
    yield Finding(
        level=Level.DANGER,
        flow="",
        lines=(case.consumer.line(_AUTO_COMMIT),),
        says="offsets are committed before the target has acknowledged the records",
        why="a process that dies loses what it had read and not yet sent",
        instead=(case.consumer.setting(_AUTO_COMMIT, "false"),),
        kmirror=case.consumer.kmirror_text(_AUTO_COMMIT),
    )


def idempotence(case: Case) -> Iterator[Finding]:
    """Judge `enable.idempotence`: without it a request whose answer is lost is written twice."""
    if case.idempotent or case.producer.text("enable.idempotence") is None:
        return
    yield Finding(
        level=Level.WARNING,
        flow="",
        lines=(case.producer.line("enable.idempotence"),),
        says="a request whose response is lost is written a second time",
        why="with it on, brokers recognize a repeated request; it needs acks=all and at most 5 "
        "requests in flight",
        instead=(case.producer.setting("enable.idempotence", "true"),),
        kmirror="always on",
        concerns=MM2_ONLY,
    )


def new_topics(case: Case) -> Iterator[Finding]:
    """Judge where a partition begins that has no offset yet."""
    if case.consumer.text(_RESET) not in {"latest", "largest"}:
        return
    yield Finding(
        level=Level.WARNING,
        flow="",
        lines=(case.consumer.line(_RESET),),
        says="records that are in a new topic or partition before it is found are never copied",
        why="they are found after metadata.max.age.ms, five minutes, and copied from their end",
        instead=(case.consumer.setting(_RESET, "earliest"),),
        kmirror="begins at the first record unless the file says latest, and finds new topics "
        "within 5 s",
    )


MM1_RULES = (
    acks,
    retries,
    lost_sends,
    auto_commit,
    in_flight,
    idempotence,
    commit_interval,
    new_topics,
    streams,
    assignment,
    batch_size,
    linger,
    *MEMORY_RULES,
    fetch_answer,
    fetch_wait,
    fetch_min,
    fetch_size,
    *LINK_RULES,
)
