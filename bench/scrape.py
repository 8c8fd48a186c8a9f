"""What a scrape of `/metrics` costs: `python -m bench.scrape` prints it."""

from __future__ import annotations

import statistics
import time
import tracemalloc

from kmirror.clock import ManualClock
from kmirror.model import Flow
from kmirror.state.metrics.collector import EventCounts, Exposition, FlowsCollector
from tests.support.synthetic_flow import JVM, NOW_MS, running_flow

_FLOWS = 10
_TOPICS = 100
_PARTITIONS_OF_TOPIC = 10
_SCRAPES = 20
_ACCEPT = {"OpenMetrics": "application/openmetrics-text;version=1.0.0", "text": "text/plain"}


def main() -> None:
    """Scrape flows that stand still."""
    tracemalloc.start()
    flows = [
        running_flow(Flow(f"S{n}", "T"), topics=_TOPICS, partitions=_PARTITIONS_OF_TOPIC, lag=n)
        for n in range(_FLOWS)
    ]
    known_mib = tracemalloc.get_traced_memory()[0] / (1 << 20)
    tracemalloc.stop()
    count = _FLOWS * _TOPICS * _PARTITIONS_OF_TOPIC
    print(f"{_FLOWS} flows x {count // _FLOWS:,} partitions: {known_mib:.0f} MiB known of them")
    clock = ManualClock(NOW_MS / 1000)
    exposition = Exposition(FlowsCollector(lambda: flows, lambda: JVM, EventCounts(), clock))
    for name, accept in _ACCEPT.items():
        times_ms, cpu_ms, size = [], [], 0
        for _ in range(_SCRAPES):
            began_s, began_cpu_s = time.perf_counter(), time.process_time()
            size = len(exposition.answer(accept)[1])
            times_ms.append((time.perf_counter() - began_s) * 1000)
            cpu_ms.append((time.process_time() - began_cpu_s) * 1000)
        print(
            f"{name}: median {statistics.median(times_ms):.0f} ms, at most {max(times_ms):.0f} ms; "
            f"{statistics.median(cpu_ms):.0f} ms of a core; {size / 1e6:.2f} MB"
        )
    for flow in flows[:1]:
        began_s = time.perf_counter()
        for _ in range(_SCRAPES):
            flow.progress.look(NOW_MS, flow.board.status.slo)
        look_ms = (time.perf_counter() - began_s) * 1000 / _SCRAPES
        print(f"a look at the lags of one flow, once a second: {look_ms:.1f} ms")


if __name__ == "__main__":
    main()
