"""Links, tables and JSON of made-up measurements over wide-area links."""

from __future__ import annotations

import json

from bench.contestant import KMIRROR, MM2_EXACTLY_ONCE
from bench.wan.case import CutRun, Link, WanRun, grid, to_json
from bench.wan.report import markdown, render

FAR = Link(rtt_ms=100, loss_percent=1, rate_mbit=10)
NEAR = Link(rtt_ms=0, loss_percent=0, rate_mbit=0.2)


def run(contestant: str, link: Link, *, mbit: float, extra: int = 0) -> WanRun:
    """Make up a run."""
    return WanRun(
        contestant=contestant,
        link=link,
        beside="target",
        tcp_mbit=9.5,
        mbit=mbit,
        complete=extra >= 0,
        latency_p50_ms=210,
        latency_p95_ms=None,
        cpu_s_per_gb=31.25,
        extra=extra,
    )


def test_a_link_in_the_words_of_the_lab() -> None:
    """What the link shall not do is not said."""
    assert FAR.settings == {"rate": "10000kbit", "delay": "50ms", "loss": "1%"}
    assert NEAR.settings == {"rate": "200kbit"}


def test_how_much_a_link_takes() -> None:
    """Records of 1,000 bytes."""
    assert FAR.records(8, None) == FAR.records(8, 9.5) == 10_000
    assert FAR.records(8, 0.5) == 1_000, "twice what one connection takes"
    assert NEAR.records(0.001, None) == 1


def test_every_combination() -> None:
    """The kindest links of each rate first."""
    links = grid([0, 20], [0, 1], [10, 100])
    assert len(links) == len(set(links)) == 8
    assert links[0] == Link(rtt_ms=0, loss_percent=0, rate_mbit=10)
    assert links[-1] == Link(rtt_ms=20, loss_percent=1, rate_mbit=100)


def test_tables() -> None:
    """Contestants of one link stand beside each other; what is wrong is said."""
    runs = [
        run(MM2_EXACTLY_ONCE.name, FAR, mbit=4.5),
        run(MM2_EXACTLY_ONCE.name, NEAR, mbit=0.1, extra=-7),
        run(KMIRROR.name, FAR, mbit=9.25, extra=3),
    ]
    cut = CutRun(
        contestant=KMIRROR.name, link=FAR, beside="target", cut_s=60, recovery_s=1.26, extra=0
    )
    lines = markdown(runs, [cut]).splitlines()
    assert "| 9.25 | 92% | 9.50 | 210 | - | 31.2 | 3 too many |" in lines[3]
    assert "MM2 tuned, exactly once" in lines[2]
    assert "not all in time" in lines[4]
    assert "| 60 s | 1.3 s |  |" in lines[-1]
    assert len(render(runs, [cut])) == 2
    assert len(render(runs, [])) == 1
    told = json.loads(to_json(runs, [cut]))
    assert told["links"][2]["share"] == 0.925
    assert told["cuts"][0]["link"]["rtt_ms"] == 100
