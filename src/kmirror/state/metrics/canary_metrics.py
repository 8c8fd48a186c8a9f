"""Puts what canaries have seen into a scrape."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

import kmirror
from kmirror.clock import Clock
from kmirror.model import Flow
from kmirror.state.canary_figures import CanaryFigures
from kmirror.state.metrics.scrape import Scrape


def put_canary(scrape: Scrape, flow: str, figures: CanaryFigures, now_ms: int) -> None:
    """
    Put what the canary of a flow has seen.

    Args:
        scrape: Where.
        flow: The flow.
        figures: What it has seen.
        now_ms: The time, milliseconds since the epoch.
    """
    counts = figures.counts(now_ms * 1000)
    scrape.put("kmirror_canary_produced_total", counts.produced, flow)
    scrape.put("kmirror_canary_produce_failed_total", counts.failed, flow)
    scrape.put("kmirror_canary_consumed_total", counts.consumed, flow)
    scrape.put("kmirror_canary_lost_total", counts.lost, flow)
    scrape.put("kmirror_canary_duplicates_total", counts.duplicated, flow)
    scrape.put("kmirror_canary_out_of_order_total", counts.reordered, flow)
    scrape.put("kmirror_canary_overdue_records", counts.overdue, flow)
    scrape.put("kmirror_canary_up", not figures.trouble, flow)
    scrape.put_buckets("kmirror_canary_produce_seconds", figures.produce_latency, flow)
    scrape.put_buckets("kmirror_canary_roundtrip_seconds", figures.roundtrip, flow)
    scrape.put_buckets("kmirror_canary_reconnect_seconds", figures.reconnects, flow)


class CanariesCollector(Collector):
    """
    The canaries of a process that runs no flows.

    Args:
        canaries: By flow.
        clock: Where time comes from.
    """

    def __init__(self, canaries: Callable[[], Mapping[Flow, CanaryFigures]], clock: Clock) -> None:
        self._canaries = canaries
        self._clock = clock

    def collect(self) -> Iterator[Family]:
        """Yield every metric with all its samples."""
        scrape = Scrape()
        scrape.put("kmirror_build_info", 1, kmirror.__version__)
        for flow, figures in self._canaries().items():
            put_canary(scrape, str(flow), figures, self._clock.wall_ms())
        yield from scrape.families()
