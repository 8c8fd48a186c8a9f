"""
The jars: fetched once by the Ivy that ships inside PySpark, kept in the cache.

`ivy.xml` beside this module names every one of them with its exact version.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror.jvm.cache import cache_home, make_once
from kmirror.jvm.java import find_java

IVY_FILE = Path(__file__).with_name("ivy.xml")
_FETCH_S_MAX = 1800


class JarSet(Enum):
    """A configuration of `ivy.xml`."""

    CLIENTS = "clients"
    """kafka-clients alone: PySpark brings what it needs (lz4, snappy, zstd, slf4j)."""

    LAB = "lab"
    """Kafka's brokers, tools and MirrorMaker 2, a complete class path without PySpark."""

    LAB_2_8 = "lab-2.8"
    """Brokers of Kafka 2.8.2, the oldest that kmirror talks to: for tests."""


def say(line: str) -> None:
    """Tell the person at the terminal what takes so long."""
    sys.stderr.write(f"kmirror: {line}\n")
    sys.stderr.flush()


def pyspark_jars() -> Path:
    """
    Give the folder of PySpark's jars, without importing PySpark.

    Raises:
        EnvironmentProblem: PySpark is not installed, or is the client without jars.
    """
    spec = importlib.util.find_spec("pyspark")
    folder = Path(spec.origin).parent / "jars" if spec and spec.origin else None
    if folder is None or not folder.is_dir():
        raise EnvironmentProblem("PySpark with its jars is missing", hint="pip install pyspark")
    return folder


def archive_key(folder: Path) -> str:
    """
    Name what an archive of classes belongs to.

    Only the JVM that wrote one can use it, and with the very jars: it looks at their times.

    Args:
        folder: The jars.
    """
    jars = sorted((jar.name, jar.stat().st_mtime_ns) for jar in folder.iterdir())
    return hashlib.sha256(f"{find_java().build} {folder} {jars}".encode()).hexdigest()[:8]


def jar_folder(jars: JarSet, *, report: Callable[[str], None] = say) -> Path:
    """
    Give the folder with the jars of one set; the first call fetches them.

    Args:
        jars: Which set.
        report: Gets a line when something takes time.

    Raises:
        EnvironmentProblem: They could not be fetched.
    """
    digest = hashlib.sha256(IVY_FILE.read_bytes()).hexdigest()[:16]
    folder = cache_home() / "jars" / digest / jars.value
    return make_once(folder, lambda draft: _retrieve(jars, draft, report))


def class_path(*folders: Path) -> str:
    """Write *folders* of jars, or single jars, as Java's `-cp` takes them."""
    return ":".join(str(path / "*") if path.is_dir() else str(path) for path in folders)


def _retrieve(jars: JarSet, into: Path, report: Callable[[str], None]) -> None:
    report(f"fetching the jars of '{jars.value}' (once, a minute or two)")
    log = into.parent / f"{into.name}.log"
    command = [
        *(find_java().path, "-cp", class_path(pyspark_jars()), "org.apache.ivy.Main"),
        *("-ivy", IVY_FILE, "-cache", cache_home() / "ivy", "-confs", jars.value),
        *("-retrieve", f"{into}/[artifact]-[revision].[ext]", "-types", "jar", "bundle"),
    ]
    with log.open("w") as output:
        try:
            done = subprocess.run(
                command, stdout=output, stderr=subprocess.STDOUT, timeout=_FETCH_S_MAX, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise _not_fetched(jars, log) from error
    if done.returncode != 0 or not any(into.glob("*.jar")):
        raise _not_fetched(jars, log)
    log.unlink()
    report(f"{len(list(into.iterdir()))} jars of '{jars.value}' are ready")


def _not_fetched(jars: JarSet, log: Path) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"Ivy could not fetch the jars of '{jars.value}'",
        hint=f"the reason is in {log}; the machine needs a way to the public Java repository",
    )
