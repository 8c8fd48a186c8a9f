"""How Spark's JVM is called: its class path, and the archive of classes that fits it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kmirror.pipeline import jvm_options
from kmirror.pipeline.jvm_options import class_path_settings, driver_options, executor_options

_OWN = (Path("/k/connector.jar"), Path("/k/clients.jar"))


def test_jars_installed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JVM refuses an archive of jars with other times: theirs is another archive."""
    spark, own = tmp_path / "spark", tmp_path / "connector.jar"
    spark.mkdir()
    for jar in (spark / "spark.jar", own):
        jar.write_bytes(b"")
        os.utime(jar, ns=(0, 1))
    monkeypatch.setattr(jvm_options, "pyspark_jars", lambda: spark)
    monkeypatch.setenv("KMIRROR_HOME", str(tmp_path))
    folders = [jvm_options.archive_folder([own])]
    assert jvm_options.archive_folder([own]) == folders[0]
    for jar in (spark / "spark.jar", own):
        os.utime(jar, ns=(0, 2))
        folders.append(jvm_options.archive_folder([own]))
    assert len(set(folders)) == 3
    assert len({folder.name.rpartition("-")[0] for folder in folders}) == 1


def test_one_process_needs_nothing_sent() -> None:
    """Our jars are on the JVM's class path, behind the operator's; nobody copies them."""
    assert class_path_settings(_OWN, {}, one_process=True) == {
        "spark.driver.extraClassPath": "/k/connector.jar:/k/clients.jar",
        "spark.jars": "",
    }
    given = {"spark.driver.extraClassPath": "/o/a.jar", "spark.jars": "/o/b.jar,/o/c.jar"}
    assert class_path_settings(_OWN, given, one_process=True) == {
        "spark.driver.extraClassPath": "/o/a.jar:/k/connector.jar:/k/clients.jar",
        "spark.jars": "/o/b.jar,/o/c.jar",
    }


def test_executors_get_them_from_spark() -> None:
    """They have no folder of ours."""
    given = {"spark.jars": "/o/b.jar"}
    settings = class_path_settings(_OWN, given, one_process=False)
    assert settings["spark.jars"] == "/k/connector.jar,/k/clients.jar,/o/b.jar"


@pytest.mark.parametrize("by_record", [False, True])
def test_executors_are_called_as_the_driver_is(by_record: bool) -> None:
    """The same collector and the same compilers; the log is the driver's own."""
    theirs = executor_options(by_record=by_record).split()
    ours = driver_options(by_record=by_record).split()
    assert ours[: len(theirs)] == theirs
    assert ("-XX:TieredStopAtLevel=1" in theirs) is not by_record
