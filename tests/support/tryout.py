"""The laboratory's page with what a test wants to see on it, and no cluster behind it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kmirror_lab.cluster.state import ClusterState
from kmirror_lab.web.server import Guide, TryOutServer
from kmirror_lab.web.tryout import TryOut
from kmirror_lab.web.view import Arrived, Counted, GroupView, OwnedPartition, TopicView

from kmirror.clock import SystemClock
from kmirror.config.metrics import listener_at
from tests.support.rest_server import RestClient

# Nobody listens there.
_SOURCE, _TARGET = (
    ClusterState(name=name, bootstrap="127.0.0.1:1", nodes=()) for name in ("A", "B")
)


def handed_over(
    *, group: str = "mirror-maker", sent: int = 4200, arrived: int = 4200, twice: int = 0
) -> TopicView:
    """Give a topic in the middle of a hand-over, or behind it."""
    partitions = tuple(
        OwnedPartition(
            partition=number,
            log_size=sent // 6,
            offset=arrived // 6,
            owner=f"{group}-{number % 3}",
            member=f"{group}-{number % 3}-6b1c",
        )
        for number in range(6)
    )
    counted = Counted(distinct=arrived, twice=twice, others=12)
    return TopicView(
        topic="topic001",
        sent=sent,
        sendings=("sent 4,200 records one after the other in 180 s",),
        arrived=(
            Arrived(cluster="A", topic="topic001", counted=Counted(distinct=sent)),
            Arrived(cluster="B", topic="topic001", counted=counted),
        ),
        groups=(GroupView(group=group, state="stable", partitions=partitions),),
    )


class _Shown(TryOut):
    """Shows a view."""

    def __init__(self, view: TopicView) -> None:
        super().__init__(_SOURCE, _TARGET, partitions=6, clock=SystemClock())
        self.view = view

    @property
    def topics(self) -> tuple[str, ...]:
        """One topic, and another."""
        return (self.view.topic, "orders")

    def look(self, name: str) -> TopicView:
        """Give what was given."""
        super().look(name)
        return self.view


@contextmanager
def serving_tryout(view: TopicView) -> Iterator[RestClient]:
    """Serve a page that shows *view*, and give a client."""
    server = TryOutServer(_Shown(view), listener_at("127.0.0.1:0"), SystemClock())
    server.start(
        Guide(
            console="http://127.0.0.1:8090",
            file="/tmp/kmirror-run-2xk4/mm2.properties",
            consumer_file="/tmp/kmirror-run-2xk4/consumer.properties",
            producer_file="/tmp/kmirror-run-2xk4/producer.properties",
            is_driven=False,
        )
    )
    try:
        yield RestClient(base=server.address)
    finally:
        server.stop()
