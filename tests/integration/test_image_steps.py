"""The image without an engine: its steps in a fresh folder, and what they have made copies."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from pathlib import Path

import pytest
from kmirror_lab.fixtures import ClusterPair
from kmirror_lab.oracle.check import check
from kmirror_lab.oracle.fill import fill

from kmirror import __version__
from tests.support.deploy import ROOT
from tests.support.image import ENTRYPOINT, copied, instructions
from tests.support.mirror_file import mirror_file

# Everything is downloaded and PySpark is built, as for an image.
pytestmark = [pytest.mark.kafka, pytest.mark.spark, pytest.mark.long]

_PREFIX = "/opt/kmirror"
_STEPS_S_MAX = 1500
_COPY_S_MAX = 300


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder that the steps have filled, with what they get and nothing else."""
    checkout = tmp_path_factory.mktemp("src")
    for name in copied():
        source, target = ROOT / name, checkout / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            ignored = shutil.ignore_patterns("jars", "__pycache__")
            shutil.copytree(source, target, ignore=ignored, dirs_exist_ok=True)
        else:
            shutil.copy2(source, target)
    folder = tmp_path_factory.mktemp("opt") / "kmirror"
    for step in steps():
        subprocess.run(
            ["sh", "-euc", step.replace(_PREFIX, str(folder))],
            cwd=checkout,
            env=environ(folder),
            check=True,
            timeout=_STEPS_S_MAX,
        )
    return folder


def steps() -> list[str]:
    """Give the image's steps that are not the system's packages and users."""
    runs = [words for verb, words in instructions() if verb == "RUN"]
    return [words for words in runs if not words.startswith("apt-get ")]


def environ(folder: Path) -> dict[str, str]:
    """Give the variables of the image; nothing of this checkout is among them."""
    kept = {name: text for name, text in os.environ.items() if name in {"JAVA_HOME", "PIP_CERT"}}
    path = f"{folder}/bin:{os.environ['PATH']}"
    return {**kept, "PATH": path, "KMIRROR_HOME": str(folder / "cache"), "HOME": "/nonexistent"}


def test_nothing_of_the_checkout_is_needed(prefix: Path) -> None:
    """The connector is compiled, the jars and the archive of classes are there."""
    answer = subprocess.run(
        [ENTRYPOINT, "--version"],
        env=environ(prefix),
        cwd=prefix,
        capture_output=True,
        text=True,
        check=True,
        timeout=_COPY_S_MAX,
    )
    assert answer.stdout == f"kmirror {__version__}\n"
    assert list(prefix.glob("cache/spark-classes-*/spark.jsa"))
    assert list(prefix.glob("lib/*/site-packages/kmirror/jars/kmirror-connector.jar"))
    assert not list(prefix.glob("lib/*/site-packages/kmirror_lab"))


def test_layers_keep_the_times_of_jars(prefix: Path) -> None:
    """Parts of a second are lost in a layer, and the archive of classes with them."""
    times = {jar.stat().st_mtime_ns for jar in prefix.rglob("site-packages/**/*.jar")}
    assert times == {0}


def test_it_copies(prefix: Path, kafka_pair: ClusterPair, tmp_path: Path) -> None:
    """A container's command, with a folder of its own for what it writes."""
    a, b = kafka_pair
    topic = a.create_topic(f"image-{secrets.token_hex(4)}", partitions=2)
    fill(a.bootstrap, topic, records=1_000, size_bytes=100, partitions=2)
    lines = ("X->Y.enabled = true", f"X->Y.topics = {topic}", "X->Y.kmirror.slots = 1")
    file = mirror_file(tmp_path, {"X": a, "Y": b}, *lines)
    command = [str(ENTRYPOINT), "run", str(file), "--until-caught-up", "--log-format", "json"]
    done = subprocess.run(
        command,
        env=environ(prefix) | {"TMPDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=_COPY_S_MAX,
    )
    assert done.returncode == 0, done.stderr
    # What is there already is not fetched, compiled or prepared again.
    assert "jars.prepared" not in done.stderr
    assert check(a.bootstrap, b.bootstrap, {topic: f"X.{topic}"}).ok
