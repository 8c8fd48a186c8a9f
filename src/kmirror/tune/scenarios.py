"""The experiments that show what a setting does: MirrorMaker 2 on a bad link, counted."""

from __future__ import annotations

from enum import Enum


class Scenario(Enum):
    """
    Experiments by name, with their results.

    MirrorMaker 2 4.3.1, 20,000 records of about 205 B in one partition, a link of 1 Mbit/s with 0
    or 100 ms round trip, 45 s. "The customer's settings" are `request.timeout.ms=500` and
    `retries=1`.
    """

    FEW_RETRIES = (
        "slow-link-few-retries",
        "with the customer's settings a request that needs longer is written twice, and the task "
        "is dead within 7 s, until it is restarted",
    )
    LARGE_BATCHES = (
        "slow-link-large-batches",
        "with the customer's settings nothing twice up to 48 KiB batches; with 64 KiB 6,692 of "
        "14,670 records, with 128 KiB 10,962 of 21,934",
    )
    MANY_PARTITIONS = (
        "slow-link-many-partitions",
        "with the customer's settings and batches of 16 KiB nothing twice with one partition, and "
        "6,688 of 14,050 records with four: their batches share a request",
    )
    DEFAULT_RETRIES = (
        "slow-link-default-retries",
        "with 500 ms and as many retries as by default, 10,404 records twice at 64 KiB and 19,584 "
        "at 128 KiB: about 930 different ones arrived, up to 33 times each",
    )
    LOST_ANSWERS = (
        "lost-answers",
        "with the customer's settings 682, 1,368 and 456 records twice when 10, 30 and 50 % of the "
        "responses are lost; none at 30 % with a time-out of 30 s",
    )
    SEVERAL_IN_FLIGHT = (
        "several-in-flight",
        "a request that is sent again arrives after the next one: records are out of order, and "
        "written twice",
    )
    KILLED_WORKER = (
        "killed-worker",
        "safe settings, one kill -9 and a restart: 8,592 of 23,273 records twice, because "
        "positions are written once a minute",
    )
    NO_EFFECT = (
        "timeout-without-effect",
        "a time-out in a place where it has no effect: the same as without it",
    )

    def __init__(self, title: str, shows: str) -> None:
        self.title = title
        self.shows = shows
