"""The events of `/metrics`, and of metrics that are sent; part of the table."""

from __future__ import annotations

from logging import INFO, WARNING

from kmirror.events.event import Event

METRICS_LISTENING = Event(
    name="metrics.listening",
    level=INFO,
    text="serving metrics at {address}",
    meaning="Prometheus may scrape there; see [metrics](metrics.md).",
)
METRICS_OPEN = Event(
    name="metrics.open",
    level=WARNING,
    text="{address}: everybody who reaches this address may read the metrics",
    meaning="They have the names of topics and consumer groups, and how much goes through them.",
    action="Listen on 127.0.0.1, or set `kmirror.metrics.users.file`.",
)
METRICS_SENDING = Event(
    name="metrics.sending",
    level=INFO,
    text="sending metrics to {address}",
    meaning="An OpenTelemetry collector is to have them; see "
    "[monitoring](monitoring.md#opentelemetry).",
)
METRICS_UNSENT = Event(
    name="metrics.unsent",
    level=WARNING,
    text="{address} does not take the metrics: {reason}",
    meaning="They are sent again at the next time; flows do not wait for it. At most once a "
    "minute.",
    action="Look at the collector, and at `kmirror.otlp.*`.",
)
METRICS_TAKEN = Event(
    name="metrics.taken",
    level=INFO,
    text="{address} takes the metrics again",
    meaning="It had not, as a warning said.",
)
METRICS_EVENTS = (
    METRICS_LISTENING,
    METRICS_OPEN,
    METRICS_SENDING,
    METRICS_UNSENT,
    METRICS_TAKEN,
)
