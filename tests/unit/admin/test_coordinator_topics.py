"""Who asks for a coordinator has its topic made, unless it is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

from kmirror.admin.coordinator_topics import GROUPS_TOPIC, TRANSACTIONS_TOPIC, may_ask
from kmirror.admin.fake import FakeAdmin
from kmirror.plans.topics import NewTopic


@pytest.mark.parametrize("topic", [GROUPS_TOPIC, TRANSACTIONS_TOPIC])
def test_it_has_to_be_there(topic: str) -> None:
    admin = FakeAdmin()
    assert not may_ask(admin, topic)
    admin.create_topics([NewTopic(name=topic, partitions=1, replication_factor=1)])
    assert may_ask(admin, topic)


def test_what_is_hidden_may_be_there() -> None:
    """Such clusters are in use; they have ACLs."""

    class Hidden(FakeAdmin):
        def told_ids(self, names: Iterable[str]) -> Mapping[str, str | None]:
            return dict.fromkeys(set(names) - {GROUPS_TOPIC})

    assert may_ask(Hidden(), GROUPS_TOPIC)
