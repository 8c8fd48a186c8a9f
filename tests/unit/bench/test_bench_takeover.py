"""Which of several nodes copies, by what they have said."""

from __future__ import annotations

import pytest

from bench.contestant import Program
from bench.takeover import copying_node
from kmirror.errors import ClusterUnavailable

_MM2 = (
    "[2026-11-26 04:00:0{s},123] INFO [MirrorSourceConnector|task-0] WorkerSourceTask"
    "{{id=MirrorSourceConnector-0}} Source task finished initialization and start "
    "(org.apache.kafka.connect.runtime.AbstractWorkerSourceTask:279)\n"
)
_KMIRROR = "2026-11-26 04:00:0{s},123 INFO    A1->B1: plan 1: 1 topics, 4 partitions in 1 slots\n"


@pytest.mark.parametrize(
    ("program", "line"), [(Program.MIRROR_MAKER, _MM2), (Program.KMIRROR, _KMIRROR)]
)
def test_who_has_begun_last(program: Program, line: str) -> None:
    """It has moved from the first to the third, and the second has never had it."""
    logs = [line.format(s=1) + line.format(s=2), "nothing\n", line.format(s=3) + "more\n"]
    assert copying_node(program, logs) == 2


def test_nobody() -> None:
    """That would be a measurement of nothing."""
    with pytest.raises(ClusterUnavailable, match="no node has said"):
        copying_node(Program.KMIRROR, ["", "starting Spark"])
