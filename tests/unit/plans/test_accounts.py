"""Quotas, logins and replicas that the target lacks, with the commands that repair it."""

from __future__ import annotations

from kmirror.plans.accounts import Accounts, compare_accounts, entity
from kmirror.plans.replicas import compare_replicas
from kmirror.plans.snapshot import TopicState

ALTER = "kafka-configs.sh --bootstrap-server b:9092 --alter --add-config"
NOTHING = Accounts(quotas={}, scram={})


def test_quotas() -> None:
    """Only what is missing or differs; defaults and several parts in Kafka's order."""
    source = Accounts(
        quotas={
            entity({"client-id": "app", "user": "alice"}): {"producer_byte_rate": 1024.0},
            entity({"user": None}): {"request_percentage": 12.5, "consumer_byte_rate": 5.0},
            entity({"ip": "10.0.0.1"}): {"connection_creation_rate": 3.0},
        },
        scram={},
    )
    target = Accounts(
        quotas={
            entity({"user": None}): {"request_percentage": 50.0, "consumer_byte_rate": 5.0},
            entity({"ip": "10.0.0.1"}): {"connection_creation_rate": 3.0},
            entity({"user": "bob"}): {"producer_byte_rate": 1.0},
        },
        scram={},
    )
    found = [(each.words, each.commands) for each in compare_accounts(source, target, "b:9092")]
    assert found == [
        (
            "quota of user alice, client-id app: producer_byte_rate is 1024 on the source and not "
            "set on the target",
            (
                f"{ALTER} producer_byte_rate=1024 --entity-type users --entity-name alice "
                "--entity-type clients --entity-name app",
            ),
        ),
        (
            "quota of every other user: request_percentage is 12.5 on the source and 50",
            (f"{ALTER} request_percentage=12.5 --entity-type users --entity-default",),
        ),
    ]
    assert not list(compare_accounts(source, source, "b:9092"))


def test_scram_users() -> None:
    """The command has a place for the password, which nobody can read."""
    both = frozenset({"SCRAM-SHA-256", "SCRAM-SHA-512"})
    source = Accounts(quotas={}, scram={"alice": both, "bob": frozenset({"SCRAM-SHA-512"})})
    target = Accounts(quotas={}, scram={"alice": frozenset({"SCRAM-SHA-256"}), "carol": both})
    found = list(compare_accounts(source, target, "b:9092"))
    assert [each.words for each in found] == [
        "user alice may log in with SCRAM-SHA-512 on the source only",
        "user bob may log in with SCRAM-SHA-512 on the source only",
    ]
    assert found[0].commands == (
        f"{ALTER} 'SCRAM-SHA-512=[password=PASSWORD]' --entity-type users --entity-name alice",
    )
    assert not list(compare_accounts(NOTHING, source, "b:9092"))


def test_replicas() -> None:
    """Together where the numbers are the same; no command where brokers are missing."""
    source = {name: TopicState(name=name, partitions=1, replicas=3) for name in ("t1", "t2", "t3")}
    target = {
        "A.t1": TopicState(name="A.t1", partitions=1, replicas=1),
        "A.t2": TopicState(name="A.t2", partitions=1, replicas=1),
        "A.t3": TopicState(name="A.t3", partitions=1, replicas=4),
    }
    copies = {name: f"A.{name}" for name in source}
    (few,) = compare_replicas(copies, source, target, brokers=1, servers="b:9092")
    assert few.words == (
        "replication factor 1 of A.t1, A.t2: the source has 3, but the target has 1 broker"
    )
    assert not few.commands
    (enough,) = compare_replicas(copies, source, target, brokers=3, servers="b:9092")
    assert enough.commands[0].startswith("kafka-reassign-partitions.sh --bootstrap-server b:9092")
