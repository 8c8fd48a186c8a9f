"""The event of a start's steps; part of the table."""

from __future__ import annotations

from logging import DEBUG

from kmirror.events.event import Event

START_STEP = Event(
    name="start.step",
    level=DEBUG,
    text="{flow:or the process}: {step}",
    meaning="A start has come so far. The process: `the JVM answers`, `Spark is there`, `Spark is "
    "warm`; a flow: `topics are there`, `the flow is claimed`, `positions are decided`, `the query "
    "is started`, `records are committed`. See [starts](starts.md).",
)
START_EVENTS = (START_STEP,)
