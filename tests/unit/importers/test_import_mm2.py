"""`mm2.properties` itself: what kmirror does otherwise is said of the line that it concerns."""

from __future__ import annotations

from pathlib import Path

import pytest

from kmirror.errors import ConfigError
from kmirror.importers.outcome import Fate
from kmirror.importers.setting import SourceFile
from tests.support.imports import data_files, fates_of, import_of, lines_of, outcome_of, text_files

_CUSTOMER = Path(__file__).parents[2] / "data" / "mm2" / "customer-mm2.properties"


def test_a_file_that_runs_stays_as_it_is() -> None:
    """What kmirror would do otherwise is told; nothing is left out."""
    text = _CUSTOMER.read_text(encoding="utf-8")
    found = import_of("mm2", (SourceFile(name="customer", text=text),))
    assert found.complete
    fates = fates_of(found)
    assert fates["us-west-2->us-east-2.enabled"] is Fate.EQUAL
    assert fates["us-east-2.producer.request.timeout.ms"] is Fate.DIFFERENT
    assert "raised to 5000" in outcome_of(found, "us-east-2.producer.request.timeout.ms").says
    assert lines_of(found)["us-east-2.producer.retries"] == "1"


def test_old_names_become_new_ones() -> None:
    """Kafka 4 reads the old ones no more; kmirror does, and the file shall last."""
    found = import_of("mm2", data_files("mm2/two-ways.properties"))
    assert lines_of(found)["topics.exclude"] == ".*tmp"
    assert outcome_of(found, "topics.blacklist").lines == ("topics.exclude",)


def test_what_kmirror_would_not_start_with_becomes_a_comment() -> None:
    """The file starts without it, and the report says what to do."""
    found = import_of("mm2", data_files("mm2/two-ways.properties"))
    assert not found.complete
    assert found.problems == ()
    assert {key for key, fate in fates_of(found).items() if fate is Fate.UNSUPPORTED} == {
        "config.providers.vault.class",
        "config.providers.vault.param.address",
        "primary.sasl.jaas.config",
        "primary->backup.transforms",
        "primary->backup.transforms.mask.type",
        "primary->backup.admin.timeout.ms",
    }
    assert "primary->backup.admin.timeout.ms" not in lines_of(found)
    assert "1 to 3600000" in outcome_of(found, "primary->backup.admin.timeout.ms").says


def test_what_mirrormaker_ignores_is_equal() -> None:
    """It does nothing here either; both say where it would do something."""
    found = import_of("mm2", data_files("mm2/two-ways.properties"))
    ignored = outcome_of(found, "producer.linger.ms")
    assert ignored.fate is Fate.EQUAL
    assert "backup.producer.linger.ms" in ignored.says
    first, second = (each for each in found.outcomes if each.setting.key == "tasks.max")
    assert first.says == "has no effect: two-ways.properties:22 sets it again"
    assert (second.setting.text, second.fate) == ("12", Fate.EQUAL)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (("clusters = a, b\n", "x = 1\n"), "file1: file: MirrorMaker 2 has one file"),
        (('{"clusters": "a"}',), "kmirror import connect"),
        (("bootstrap.servers = a:1\n",), "file0: clusters: has no line"),
        (("clusters = a\nx = \\uz\n",), "file0:2"),
    ],
)
def test_files_that_are_none(texts: tuple[str, ...], words: str) -> None:
    """They are refused with what to give instead."""
    with pytest.raises(ConfigError) as caught:
        import_of("mm2", text_files(*texts))
    assert words in str(caught.value)


def test_what_is_wrong_with_the_whole_file_is_told() -> None:
    """No flow is on: that is no line's fault."""
    found = import_of("mm2", text_files("clusters = a, b\na.bootstrap.servers = h:1\n"))
    told = "\n".join(map(str, found.problems))
    assert "No source->target replication flows" in told
    assert "b.bootstrap.servers" in told
