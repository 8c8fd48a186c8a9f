"""What each setting comes to in the end, and which line says so."""

from __future__ import annotations

import pytest

from kmirror.config.effective import (
    Client,
    EffectiveSetting,
    Rank,
    client_settings,
    driver_settings,
    flow_settings,
    shown_line,
)
from kmirror.config.keys.key import Scope
from kmirror.config.keys.table import KEYS
from kmirror.config.load import MirrorConfig
from kmirror.model import Flow
from tests.support.mirror_files import Load

AB = Flow("A", "B")


def found(config: MirrorConfig) -> dict[str, EffectiveSetting]:
    """Give the settings of the first flow by name."""
    return {each.name: each for each in flow_settings(config, config.flows[0])}


def producer(config: MirrorConfig, *fixed: str) -> dict[str, EffectiveSetting]:
    """Give those of a producer that is made with what the file says."""
    client = Client(
        section="producer",
        role="producer",
        alias="B",
        prefixes=("A->B.producer.override.",),
        properties=config.flow(AB).target_producer.overridden_by({"acks": "all"}),
        fixed=frozenset(fixed),
    )
    return {each.name: each for each in client_settings(config, client)}


def keys(each: EffectiveSetting) -> tuple[str | None, list[str]]:
    """Give the line that won, and those that lost."""
    return None if each.entry is None else each.entry.key, [line.key for line in each.lost]


def test_who_has_the_last_word(load_text: Load) -> None:
    config = load_text(
        "topics = a\nA->B.topics = b, c\nB.offset.storage.replication.factor = 2\n"
        "kmirror.slots = 3\n"
    )
    settings = found(config)
    topics = settings["topics"]
    assert (topics.value, topics.rank) == ("b, c", Rank.FLOW)
    assert keys(topics) == ("A->B.topics", ["topics"])
    assert topics.entry is not None
    assert topics.entry.where.endswith("mm2.properties:6")
    slots = settings["kmirror.slots"]
    assert (slots.value, slots.rank, slots.lost) == ("3", Rank.TOP, ())
    storage = settings["offset.storage.replication.factor"]
    assert (storage.value, storage.rank) == ("2", Rank.CLUSTER)
    rest = settings["refresh.topics.interval.seconds"]
    assert (rest.value, rest.rank, rest.entry) == ("5", Rank.DEFAULT, None)


def test_every_key_of_a_flow_is_there(load_text: Load) -> None:
    """What does something has a row for each flow, or for the process, or for its clients."""
    config = load_text()
    there = {each.name for each in (*flow_settings(config, config.flows[0]),)}
    there |= {each.name for each in driver_settings(config)}
    wanted = {
        name
        for name, key in KEYS.items()
        if key.active and key.replaced_by is None and key.scope is not Scope.CLUSTER
    }
    assert there == wanted


def test_an_old_name_is_shown_as_what_it_is_read_as(load_text: Load) -> None:
    settings = found(load_text("topics.blacklist = x.*\n"))
    assert settings["topics.exclude"].value == "x.*"
    assert keys(settings["topics.exclude"])[0] == "topics.blacklist"


def test_a_client(load_text: Load) -> None:
    """Its own line wins over its cluster's, and that one over the top level."""
    config = load_text(
        "bootstrap.servers = x:1\nB.producer.linger.ms = 5\nB.producer.acks = 1\n"
        "A->B.producer.override.linger.ms = 7\nB.producer.request.timeout.ms = 100\n"
    )
    settings = producer(config, "acks")
    assert keys(settings["bootstrap.servers"]) == ("B.bootstrap.servers", ["bootstrap.servers"])
    assert settings["bootstrap.servers"].rank is Rank.CLUSTER
    linger = settings["linger.ms"]
    assert keys(linger) == ("A->B.producer.override.linger.ms", ["B.producer.linger.ms"])
    assert (linger.value, linger.rank) == ("7", Rank.FLOW)
    # What is not applied, or raised, has no line that says so.
    assert (settings["acks"].value, settings["acks"].rank) == ("all", Rank.KMIRROR)
    assert keys(settings["acks"]) == (None, ["B.producer.acks"])
    assert settings["request.timeout.ms"].value == "5000"
    assert keys(settings["request.timeout.ms"]) == (None, ["B.producer.request.timeout.ms"])


@pytest.mark.parametrize(
    "line",
    [
        "B.ssl.keystore.password = geheim\n",
        "B.sasl.jaas.config = geheim\n",
        "A->B.producer.override.sasl.jaas.config = geheim\n",
    ],
)
def test_secrets_are_hidden(load_text: Load, line: str) -> None:
    """Of the line that counts, and of one that lost."""
    config = load_text(line + "sasl.jaas.config = geheim too\n")
    shown = [each.value for each in producer(config).values()]
    shown += [shown_line(each) for one in producer(config).values() for each in one.lost]
    assert "[hidden]" in shown
    assert not [each for each in shown if "geheim" in each]


def test_an_alias_topic_has_the_topics_of_its_own_line(load_text: Load) -> None:
    config = load_text("A.kmirror.alias.orders = orders, B.orders\ntopics = x\n", base=_MERGED)
    flow = next(each for each in config.flows if each.policy.merges)
    settings = {each.name: each for each in flow_settings(config, flow)}
    assert settings["topics"].value == "orders, B.orders"
    assert keys(settings["topics"])[0] == "A.kmirror.alias.orders"


_MERGED = """\
clusters = A, B
A.bootstrap.servers = a:9092
B.bootstrap.servers = b:9092
B->A.enabled = true
"""
