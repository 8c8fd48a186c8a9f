"""One contestant after another on the same links."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.cluster.clients import producer
from kmirror_lab.net import NetLab, NetPlan, net_lab
from kmirror_lab.oracle.fill import fill
from kmirror_lab.process.waiting import wait_until

from bench.contestant import Contestant, mirror_of, properties
from bench.pause import pass_time
from bench.quantiles import quantile
from bench.usage import sample
from bench.wan.case import RECORD_BYTES, CutRun, Link, WanRun
from bench.wan.reader import Reader
from kmirror.clock import Clock
from kmirror.errors import ClusterUnavailable
from kmirror.model import Flow

NAMES = ("wan-source", "wan-target")
TOPIC = "wan"
_PARTITIONS = 4
_GB = 1e9
_START_S_MAX = 180.0
_DRAIN_S_MAX = 300.0
_PAUSE_S = 0.1
_TRICKLE_RECORDS = 100
_TRICKLE_PAUSE_S = 0.1
_TRICKLE_S_MAX = 30.0
_STREAM_PAUSE_S = 0.005
_STREAM_WARM_UP_S = 10.0
_SETTLE_S = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WanPlan:
    """
    What is measured.

    Args:
        links: The links.
        seconds: How long a link would take for the records, see `Link.records`.
        patience: So many times that long is waited for them.
        beside: `source` or `target`, where the mirror is.
        log_lines: Records are lines of a log, which compress well.
        cut_s: For how long a link is cut in the end; 0 leaves that out.
        cut_link: Which.
        socket_buffer_bytes: Of the brokers; -1 is what the system thinks best.
    """

    links: Sequence[Link]
    seconds: float
    patience: float
    beside: str
    log_lines: bool
    cut_s: float
    cut_link: Link
    socket_buffer_bytes: int = -1

    @property
    def net(self) -> NetPlan:
        """The clusters."""
        names = ("socket.send.buffer.bytes", "socket.receive.buffer.bytes")
        config = dict.fromkeys(names, str(self.socket_buffer_bytes))
        return NetPlan(names=NAMES, heap_mb=1024, config=config)


def run_wan(
    folder: Path,
    contestants: Sequence[Contestant],
    plan: WanPlan,
    *,
    clock: Clock,
    tell: Callable[[str], None],
) -> Iterator[WanRun | CutRun]:
    """
    Let each contestant copy over each link.

    Args:
        folder: For clusters and logs.
        contestants: Who.
        plan: What.
        clock: Where time comes from.
        tell: Gets what is being done.

    Raises:
        EnvironmentProblem: Namespaces are not possible here.
        ClusterUnavailable: A contestant did not even come through on a good link.
    """
    tcp_mbit: dict[Link, float | None] = {}
    for contestant in contestants:
        tell(f"{contestant.label}: starting clusters")
        with net_lab(folder / contestant.name, plan.net) as net:
            for link in plan.links:
                if link not in tcp_mbit:
                    tell(f"TCP alone: {link.label}")
                    tcp_mbit[link] = _tcp_mbit(net, link)
            net.clear()
            with _WanContest(net, contestant, plan, clock) as contest:
                for link in plan.links:
                    tell(f"{contestant.label}: {link.label}")
                    yield contest.run(link, tcp_mbit[link])
                if plan.cut_s:
                    tell(f"{contestant.label}: {plan.cut_link.label}, cut for {plan.cut_s:g} s")
                    yield contest.cut(plan.cut_link)


def _tcp_mbit(net: NetLab, link: Link) -> float | None:
    net.clear()
    net.set(**link.settings)
    found = net.prove(seconds=5.0).there.rate_bit_s
    return found / 1e6 if found else None


class _WanContest:
    """A contestant at work beside one of two clusters, and a reader of its copy."""

    def __init__(self, net: NetLab, contestant: Contestant, plan: WanPlan, clock: Clock) -> None:
        self._net = net
        self._contestant = contestant
        self._plan = plan
        self._clock = clock
        self._source = net.bootstrap(NAMES[0])
        target = net.bootstrap(NAMES[1])
        flow = Flow(source="east", target="west")
        text = properties(contestant, flow, source_bootstrap=self._source, target_bootstrap=target)
        text += f"{flow}.topics = {TOPIC}\n"
        place = net.host(NAMES[0 if plan.beside == "source" else 1])
        self._mirror = mirror_of(contestant, text, net.folder / "mirror", host=place)
        self._reader = Reader(
            target, f"{flow.source}.{TOPIC}", _PARTITIONS, net.host(NAMES[1]), clock
        )
        self._written = 0
        self._running = ExitStack()

    def __enter__(self) -> _WanContest:
        self._running.enter_context(self._mirror)
        net = self._net
        net.clusters[NAMES[0]].create_topic(TOPIC, partitions=_PARTITIONS)
        self._write(_PARTITIONS)
        self._mirror.start()
        self._running.enter_context(self._reader)
        self._drain(_START_S_MAX)
        self._trickle()  # a new mirror has topics of its own to make
        return self

    def __exit__(self, *_: object) -> None:
        self._running.close()

    def run(self, link: Link, tcp_mbit: float | None) -> WanRun:
        """Measure one link, and leave it as good as new."""
        self._net.set(**link.settings)
        # The link before was another one; some records tell mirror and TCP what this one carries.
        self._write(link.records(_SETTLE_S, tcp_mbit))
        self._arrived(_SETTLE_S * self._plan.patience)
        began_s, begun = self._clock.monotonic_s(), self._reader.count
        cpu_s = sample([self._mirror.process], self._clock).cpu_s
        self._write(link.records(self._plan.seconds, tcp_mbit))
        complete = self._arrived(self._plan.seconds * self._plan.patience)
        cpu_s = sample([self._mirror.process], self._clock).cpu_s - cpu_s
        came = self._reader.since(began_s)
        count = (came[-1].count - begun) if came else 0
        # What came first had its time before it was seen.
        counted = count - (came[0].count - begun) if came else 0
        lasted_s = max(came[-1].at_s - came[0].at_s, _PAUSE_S) if came else 1.0
        late = self._trickle() if complete else []
        self._net.clear()
        self._drain(_DRAIN_S_MAX)
        return WanRun(
            contestant=self._contestant.name,
            link=link,
            beside=self._plan.beside,
            tcp_mbit=tcp_mbit,
            mbit=counted * RECORD_BYTES * 8 / lasted_s / 1e6,
            complete=complete,
            latency_p50_ms=quantile(late, 0.5) if late else None,
            latency_p95_ms=quantile(late, 0.95) if late else None,
            cpu_s_per_gb=cpu_s / (count * RECORD_BYTES / _GB) if count else None,
            extra=self._reader.count - self._written,
        )

    def cut(self, link: Link) -> CutRun:
        """Cut the link under a stream, and see how long the stream takes to flow again."""
        stop = threading.Event()
        self._net.set(**link.settings)
        stream = threading.Thread(target=self._stream, args=(stop,), name="wan-stream")
        stream.start()
        try:
            before_s = self._clock.monotonic_s()
            pass_time(self._clock, _STREAM_WARM_UP_S)
            usual_ms = max(each.late_ms for each in self._reader.since(before_s + 5))
            self._net.cut()
            pass_time(self._clock, self._plan.cut_s)
            self._net.heal()
            healed_s = self._clock.monotonic_s()
            wait_until(
                lambda: any(e.late_ms <= 1.5 * usual_ms for e in self._reader.since(healed_s)),
                "records arrive as before the cut",
                timeout_s=_DRAIN_S_MAX,
                pause_s=_PAUSE_S,
            )
            came = self._reader.since(healed_s)
            flowing_s = next(e.at_s for e in came if e.late_ms <= 1.5 * usual_ms)
        finally:
            stop.set()
            stream.join()
        self._net.clear()
        self._drain(_DRAIN_S_MAX)
        return CutRun(
            contestant=self._contestant.name,
            link=link,
            beside=self._plan.beside,
            cut_s=self._plan.cut_s,
            recovery_s=flowing_s - healed_s,
            extra=self._reader.count - self._written,
        )

    def _write(self, records: int) -> None:
        with self._net.host(NAMES[0]).inside():
            fill(
                self._source, TOPIC, records=records, size_bytes=RECORD_BYTES,
                partitions=_PARTITIONS, batch_bytes=16_384, log_lines=self._plan.log_lines,
            )  # fmt: skip
        self._written += records

    def _arrived(self, timeout_s: float) -> bool:
        try:
            self._drain(timeout_s)
        except ClusterUnavailable:
            return False
        return True

    def _drain(self, timeout_s: float) -> None:
        def there() -> bool:
            self._mirror.check()
            return self._reader.count >= self._written

        words = f"{self._written} records have arrived"
        wait_until(there, words, timeout_s=timeout_s, pause_s=_PAUSE_S)

    def _trickle(self) -> list[int]:
        """Give how late each of a few records was."""
        began_s = self._clock.monotonic_s()
        stop = threading.Event()
        self._stream(stop, pause_s=_TRICKLE_PAUSE_S, records=_TRICKLE_RECORDS)
        if not self._arrived(_TRICKLE_S_MAX):
            return []
        return sorted(each.late_ms for each in self._reader.since(began_s))

    def _stream(
        self,
        stop: threading.Event,
        *,
        pause_s: float = _STREAM_PAUSE_S,
        records: int | None = None,
    ) -> None:
        with self._net.host(NAMES[0]).inside():
            writer = producer(self._source, linger_ms="0")
        while not stop.is_set() and records != 0:
            place = self._written % _PARTITIONS
            writer.produce(TOPIC, value=b"%012d" % self._written, partition=place)
            writer.poll(0)
            self._written += 1
            records = None if records is None else records - 1
            self._clock.wait(stop, pause_s)
        writer.flush(_DRAIN_S_MAX)
