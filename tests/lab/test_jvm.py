"""Java, the jars and the compiler, as they are on this machine."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from kmirror_lab.fixtures import ClusterPair

from kmirror.errors import EnvironmentProblem
from kmirror.jvm import CLIENTS, class_path, find_java, jar_folder, pyspark_jars
from kmirror.jvm.cache import cache_home, make_once
from kmirror.jvm.connector import compile_connector


def test_java_is_found() -> None:
    """The Java here is new enough and has a compiler."""
    java = find_java()
    assert java.version >= 17
    assert java.tool("javac").exists()


def test_no_java_is_told(tmp_path: Path) -> None:
    """Nothing on PATH, and a JAVA_HOME that is none."""
    with pytest.raises(EnvironmentProblem, match="no java"):
        find_java({"PATH": str(tmp_path)})
    with pytest.raises(EnvironmentProblem, match="JAVA_HOME"):
        find_java({"JAVA_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"})


@pytest.mark.parametrize(
    ("text", "number"), [('java version "1.8.0_402"', 8), ('openjdk version "11.0.22"', 11)]
)
def test_an_old_java_is_refused(tmp_path: Path, text: str, number: int) -> None:
    """The error names the version, and what to install."""
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\necho '{text}' >&2\n")
    java.chmod(0o755)
    with pytest.raises(EnvironmentProblem, match=rf"Java {number}\b.*JDK 17"):
        find_java({"PATH": str(tmp_path)})


def test_options_in_the_environment_make_no_other_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java repeats them before its version; what was made for it is found all the same."""
    own = find_java()
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-Dversion=9")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Dversion=9")
    # Another path: a program is asked once.
    (tmp_path / "java").symlink_to(own.path.resolve())
    assert find_java({"PATH": str(tmp_path)}).build == own.build


def test_where_the_cache_is() -> None:
    """KMIRROR_HOME first, then XDG_CACHE_HOME."""
    both = {"KMIRROR_HOME": "/one", "XDG_CACHE_HOME": "/two"}
    assert cache_home(both) == Path("/one")
    assert cache_home({"XDG_CACHE_HOME": "/two"}) == Path("/two/kmirror")
    assert cache_home({}) == Path.home() / ".cache" / "kmirror"


def test_two_at_once_build_once(tmp_path: Path) -> None:
    """The second finds what the first has made."""
    built: list[Path] = []
    together = Barrier(4)

    def build(draft: Path) -> None:
        built.append(draft)
        (draft / "file").write_text("x")

    def ask(_: int) -> str:
        together.wait(timeout=30)
        return (make_once(tmp_path / "folder", build) / "file").read_text()

    with ThreadPoolExecutor(max_workers=4) as pool:
        assert list(pool.map(ask, range(4))) == ["x"] * 4
    assert len(built) == 1


def test_a_failed_build_leaves_nothing(tmp_path: Path) -> None:
    """The next try starts afresh."""

    def fail(draft: Path) -> None:
        (draft / "half").write_text("x")
        raise EnvironmentProblem("no network")

    with pytest.raises(EnvironmentProblem):
        make_once(tmp_path / "folder", fail)
    assert [path.name for path in tmp_path.iterdir()] == ["folder.lock"]


def test_clients_brings_nothing_that_pyspark_has() -> None:
    """No library is on the driver's class path twice."""

    def names(folder: Path) -> set[str]:
        return {path.name.rpartition("-")[0] for path in folder.glob("*.jar")}

    assert names(jar_folder(CLIENTS)) == {"kafka-clients"}
    assert not names(jar_folder(CLIENTS)) & names(pyspark_jars())


def test_a_compiler_error_is_quoted(tmp_path: Path) -> None:
    """A warning is an error, and the message says where."""
    source = tmp_path / "Sloppy.java"
    source.write_text("import java.util.*; class Sloppy { List list = new ArrayList(); }")
    with pytest.raises(EnvironmentProblem, match=r"Sloppy\.java:1: warning: \[rawtypes\]"):
        compile_connector([source], tmp_path / "none", tmp_path)


@pytest.mark.kafka
def test_kafka_clients_work_with_pyspark_s_codecs(
    kafka_pair: ClusterPair, topic_name: Callable[[str], str]
) -> None:
    """Every compression works with the lz4, snappy and zstd that PySpark ships."""
    topic = kafka_pair.a.create_topic(topic_name("codecs"))
    jars = class_path(pyspark_jars(), jar_folder(CLIENTS))
    source = Path(__file__).with_name("Codecs.java")
    done = subprocess.run(
        [find_java().path, "-cp", jars, source, kafka_pair.a.bootstrap, topic],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "5 codecs" in done.stdout, done.stderr
