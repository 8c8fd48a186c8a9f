"""Two clusters between which groups are moved, and what they have."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path

from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.fixtures import ClusterPair

from kmirror.model import Flow
from tests.support.commands import status
from tests.support.driver import Driver
from tests.support.mirror_file import flow_lines, mirror_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """Two clusters, flows both ways, and names that nobody else uses."""

    pair: ClusterPair
    file: Path
    label: str
    here: str
    there: str

    @property
    def flow(self) -> str:
        """The flow that is failed over."""
        return f"{self.here}->{self.there}"

    @property
    def clusters(self) -> dict[str, Cluster]:
        """The clusters by alias."""
        return {self.here: self.pair.a, self.there: self.pair.b}

    @property
    def topic(self) -> str:
        """The topic of both clusters."""
        return f"{self.label}-t"

    @property
    def group(self) -> str:
        """The group that moves."""
        return f"{self.label}-g"

    @property
    def synced_group(self) -> str:
        """A group that the driver has committed on the second cluster; moves leave it out."""
        return f"synced-{self.label}"

    @property
    def copy(self) -> str:
        """The topic's copy on the second cluster."""
        return f"{self.here}.{self.topic}"

    @property
    def copy_back(self) -> str:
        """The copy on the first cluster of what is written on the second."""
        return f"{self.there}.{self.topic}"

    def wait_copied(self, driver: Driver) -> None:
        """Wait until the first cluster's records are on the second."""
        a, b = self.pair
        flow = Flow(self.here, self.there)
        driver.wait_until_caught_up(a, b, {self.topic: self.copy}, flow=flow)

    def generation(self) -> str:
        """Say who has the flow, as `kmirror status` does."""
        (line,) = [
            line for line in status(self.file).text.splitlines() if line.startswith(self.flow)
        ]
        return line


def story(pair: ClusterPair, folder: Path, *lines: str, both_ways: bool = True) -> Story:
    """Make the topic on both clusters, and the file."""
    label = f"move{secrets.token_hex(3)}"
    here, there = f"X{label[-6:]}", f"Y{label[-6:]}"
    settings = (f"groups = {label}-.*", "refresh.groups.interval.seconds = 1")
    flows = [f"{here}->{there}", *([f"{there}->{here}"] if both_ways else [])]
    file = mirror_file(
        folder,
        {here: pair.a, there: pair.b},
        *(line for flow in flows for line in flow_lines(flow, f"{label}-t", *settings)),
        *lines,
    )
    for cluster in pair:
        cluster.create_topic(f"{label}-t", partitions=1, replication=1)
    return Story(pair=pair, file=file, label=label, here=here, there=there)
