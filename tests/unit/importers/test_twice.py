"""A setting that is there twice: under one name, or under its old one and today's."""

from __future__ import annotations

import json

import pytest

from kmirror.importers.outcome import Fate
from tests.support.imports import fates_of, import_of, lines_of, outcome_of, text_files

_MIRUS = """\
name = m
connector.class = com.salesforce.mirus.MirusSourceConnector
topics.whitelist = t
consumer.bootstrap.servers = a-1:9092
destination.consumer.bootstrap.servers = b-1:9092
"""
_REPLICATOR = """\
name = r
connector.class = io.confluent.connect.replicator.ReplicatorSourceConnector
topic.whitelist = t
src.kafka.bootstrap.servers = a-1:9092
dest.kafka.bootstrap.servers = b-1:9092
"""
_STREAM = {
    "name": "s",
    "transportProviderName": "k",
    "source": {"connectionString": "kafka://a-1:9092/t"},
}
_PROVIDER = "brooklin.server.transportProvider.k."
_READS, _WRITES = "bootstrap.servers=a-1:9092\ngroup.id=g\n", "bootstrap.servers=b-1:9092\n"


@pytest.mark.parametrize(
    ("system", "texts", "key"),
    [
        (
            "mirus",
            (_MIRUS, "producer.linger.ms=1\nproducer.linger.ms=2\n"),
            "target.producer.linger.ms",
        ),
        ("replicator", (f"{_REPLICATOR}tasks.max=1\ntasks.max=2\n",), "source->target.tasks.max"),
        ("mm1", (_READS, f"linger.ms=1\n{_WRITES}linger.ms=2\n"), "target.producer.linger.ms"),
        (
            "ureplicator",
            (f"max.poll.records=1\n{_READS}max.poll.records=2\n", f"acks=all\n{_WRITES}"),
            "source.consumer.max.poll.records",
        ),
        (
            "brooklin",
            (
                json.dumps(_STREAM),
                f"{_PROVIDER}linger.ms=1\n{_PROVIDER}{_WRITES}{_PROVIDER}linger.ms=2\n",
            ),
            "target.producer.linger.ms",
        ),
    ],
)
def test_of_equal_keys_the_last_one_counts(system: str, texts: tuple[str, ...], key: str) -> None:
    """As for Java; the report says so of the others."""
    found = import_of(system, text_files(*texts))
    assert lines_of(found)[key] == "2"
    (earlier,) = (each for each in found.outcomes if "sets it again" in each.says)
    assert (earlier.setting.text, earlier.fate, earlier.lines) == ("1", Fate.EQUAL, ())


def test_todays_name_of_a_client_setting_counts() -> None:
    """Where both are there, the old one has no effect, whichever comes first."""
    old = "metadata.broker.list=old:1\nqueue.buffering.max.ms=1\n"
    today = f"{_WRITES}linger.ms=2\n"
    for producer in (old + today, today + old):
        found = import_of("mm1", text_files(_READS, producer))
        lines = lines_of(found)
        assert lines["target.bootstrap.servers"] == "b-1:9092"
        assert lines["target.producer.linger.ms"] == "2"
        for key in ("metadata.broker.list", "queue.buffering.max.ms"):
            assert fates_of(found)[key] is Fate.DIFFERENT
            assert "has no effect" in outcome_of(found, key).says
    alone = import_of("mm1", text_files(_READS, old))
    assert lines_of(alone)["target.bootstrap.servers"] == "old:1"
    assert outcome_of(alone, "queue.buffering.max.ms").says == "the old name of linger.ms"
