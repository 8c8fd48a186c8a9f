"""How many requests brokers get, by kind: they count themselves, and JMX tells."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.process.process import ProcessId

from kmirror.clock import Clock
from kmirror.errors import EnvironmentProblem
from kmirror.jvm import find_java

_PROGRAM = Path(__file__).with_name("jmx") / "BrokerRequests.java"
_ANSWER_S_MAX = 120.0
# A fetch is counted once more by who fetches; and a broker says to its controller that it lives.
_LEFT_OUT = frozenset({"FetchConsumer", "FetchFollower", "BrokerHeartbeat"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCounts:
    """
    What brokers have got since their start.

    Args:
        at_s: When they were asked, on the monotonic clock.
        by_kind: How many, by the names of Kafka's protocol.
    """

    at_s: float
    by_kind: Mapping[str, int]

    def per_s_since(self, before: RequestCounts) -> dict[str, float]:
        """Give requests a second since *before*, the most frequent kind first; none that rests."""
        passed_s = self.at_s - before.at_s
        rates = {
            kind: (count - before.by_kind.get(kind, 0)) / passed_s
            for kind, count in self.by_kind.items()
        }
        ordered = sorted(rates.items(), key=lambda each: (-each[1], each[0]))
        return {kind: rate for kind, rate in ordered if rate > 0}


def count_requests(brokers: Sequence[ProcessId], clock: Clock) -> RequestCounts:
    """
    Ask brokers of this machine; that takes a second of processor time.

    Args:
        brokers: Their processes.
        clock: Where time comes from.

    Raises:
        EnvironmentProblem: One did not answer.
    """
    done = subprocess.run(
        [find_java().path, _PROGRAM, *(str(broker.pid) for broker in brokers)],
        capture_output=True,
        text=True,
        timeout=_ANSWER_S_MAX,
        check=False,
    )
    if done.returncode:
        raise EnvironmentProblem(f"a broker does not tell its requests: {done.stderr.strip()}")
    return RequestCounts(at_s=clock.monotonic_s(), by_kind=sums(done.stdout.splitlines()))


def sums(lines: Iterable[str]) -> dict[str, int]:
    """Add up lines such as `Fetch 1234`: a kind has one for each version and broker."""
    found: Counter[str] = Counter()
    for line in lines:
        kind, _, count = line.partition(" ")
        if kind not in _LEFT_OUT:
            found[kind] += int(count)
    return dict(found)
