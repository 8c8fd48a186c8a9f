"""When a driver last gave a sign of life, for whoever asks the clusters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kmirror.admin.fake import FakeAdmin
from kmirror.admin.owner_entry import OwnerEntry, this_process
from kmirror.clock import ManualClock
from kmirror.config.flows import FlowConfig
from kmirror.ends.clients import FlowClients
from kmirror.inspect.signs import last_sign_ms
from kmirror.inspect.standing import standing
from kmirror.model import TopicPartition
from kmirror.plans.partition_states import SIGN_S_MAX
from kmirror.plans.topics import NewTopic
from tests.support.driver import A_TO_B
from tests.support.fake_flow import fake_clients, flow_config

_PARTITIONS = 30


@dataclass(frozen=True)
class Place:
    """A flow whose offsets topic is there, with other partitions than its file wants."""

    config: FlowConfig
    clients: FlowClients
    target: FakeAdmin
    clock: ManualClock
    claim: OwnerEntry

    def write(self) -> None:
        """Have a driver write a position at the time 0, where this file would not look."""
        place = TopicPartition(self.config.offset_storage_topic, _PARTITIONS - 1)
        self.target.set_log(place, end=1)

    def last(self, entry: OwnerEntry | None) -> int | None:
        """Return when the last sign was, by whose the flow is."""
        return last_sign_ms(self.config, self.target, entry)

    def trouble(self, entry: OwnerEntry | None) -> str:
        """Say what is wrong with the flow; empty when nothing is."""
        found = standing(
            self.config, self.clients, (), parked=0, silent=0, entry=entry, clock=self.clock
        )
        return found.judgement.words if found.judgement.verdict.value == "BROKEN" else ""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Give it; a driver has begun a minute after the time 0."""
    config = flow_config(tmp_path)
    clients = fake_clients(config, FakeAdmin())
    target = clients.target
    assert isinstance(target, FakeAdmin)
    topic = NewTopic(name=config.offset_storage_topic, partitions=_PARTITIONS, replication_factor=1)
    target.create_topics([topic])
    clock = ManualClock()
    clock.advance(60.0)
    claim = OwnerEntry(generation=2, owner=this_process(clock, A_TO_B, slots=1))
    return Place(config, clients, target, clock, claim)


def held(entry: OwnerEntry) -> OwnerEntry:
    """Give an entry of somebody who keeps the flow from copying."""
    assert entry.owner is not None
    return replace(entry, owner=replace(entry.owner, hold="failover"))


def test_a_driver_that_has_just_begun_is_there(place: Place) -> None:
    """Although it was away for long, and has written nothing yet but its claim."""
    place.write()
    assert place.last(place.claim) == 60_000
    # Who holds the flow drives nothing.
    assert place.last(held(place.claim)) == place.last(None) == 0


def test_who_has_written_nothing_is_not_broken(place: Place) -> None:
    """Nothing was there to copy, or the brokers are too old to tell: nobody knows more."""
    place.clock.advance(3_600)
    assert place.last(place.claim) is None
    assert place.trouble(place.claim) == ""
    for nobody in (None, held(place.claim)):
        assert place.trouble(nobody) == "no driver has given a sign of life"


def test_who_was_silent_for_long_is_broken(place: Place) -> None:
    """It has written once, and no more."""
    place.write()
    place.clock.advance(SIGN_S_MAX)
    assert place.trouble(place.claim) == ""
    place.clock.advance(1)
    assert place.trouble(place.claim) == "no driver has given a sign of life for 151 s"
