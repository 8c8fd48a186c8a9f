"""Which archive of Spark's classes a process takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kmirror.pipeline import jvm_options


def test_jars_installed_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The JVM refuses an archive of jars with other times: theirs is another archive."""
    jar = tmp_path / "spark.jar"
    jar.write_bytes(b"")
    os.utime(jar, ns=(0, 1))
    monkeypatch.setattr(jvm_options, "pyspark_jars", lambda: tmp_path)
    monkeypatch.setenv("KMIRROR_HOME", str(tmp_path))
    first = jvm_options.archive_folder()
    assert jvm_options.archive_folder() == first
    os.utime(jar, ns=(0, 2))
    second = jvm_options.archive_folder()
    assert second != first
    assert second.name.rpartition("-")[0] == first.name.rpartition("-")[0]
