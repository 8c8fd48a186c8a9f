"""
An archive of Spark's classes and Kafka's clients', with which the JVM starts in half the time.

The JVM can keep loaded classes in a file (class data sharing, JEP 350). Spark loads 10,000 of them
before it does anything. `python -m kmirror.pipeline.class_archive` makes the archive, once, by
starting Spark and running a query that copies nothing; everything works without it, only later.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from py4j.protocol import Py4JError, Py4JJavaError

from kmirror.clock import SystemClock
from kmirror.errors import EnvironmentProblem
from kmirror.jvm import own_jars
from kmirror.jvm.cache import make_once
from kmirror.jvm.jars import say
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.jvm_options import ARCHIVE_NAME, archive_folder
from kmirror.pipeline.launch import SparkLaunch
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.warm_up import warm_up
from kmirror.pipeline.work_folder import work_folder

_TRAINING_S_MAX = 300
_WRITING_S_MAX = 120
# Nothing is compiled yet, and slow machines get their archive, too.
_QUERY_S_MAX = 120.0
_TRAIN = "--train"
_ENDING, _PACKAGES = ".class", ("org/apache/kafka/", "io/kmirror/")


def prepare_archive() -> Path:
    """
    Return the archive; it is made when it is not there, or when PySpark was installed anew.

    Raises:
        EnvironmentProblem: Java or the jars are missing, or Spark did not start.
    """
    folder = archive_folder(own_jars())
    return make_once(folder, partial(_build, folder)) / ARCHIVE_NAME


def _build(wanted: Path, into: Path) -> None:
    """Let another process do it: one can start Spark's JVM only once."""
    _remove_outdated(wanted)
    say("preparing a fast start of Spark (once, half a minute)")
    command = [sys.executable, "-m", __spec__.name, _TRAIN, str(into / ARCHIVE_NAME)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_TRAINING_S_MAX, check=False
    )
    if not (into / ARCHIVE_NAME).exists():
        raise EnvironmentProblem(f"Spark did not start: {done.stdout}{done.stderr}")


def _remove_outdated(wanted: Path) -> None:
    """Remove archives of what was installed at the same place before."""
    place, _, _ = wanted.name.rpartition("-")
    for folder in wanted.parent.glob(f"{place}-*/"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_name(f"{folder.name}.lock").unlink(missing_ok=True)


def _train(archive: Path) -> None:
    """Start Spark, run a query, and end the JVM in order: it writes the archive then."""
    clock, never = SystemClock(), threading.Event()
    with work_folder() as folder:
        process = SparkProcess(
            SparkLaunch(
                app="kmirror training",
                slots=1,
                folder=folder,
                java_options=f"-XX:ArchiveClassesAtExit={archive}",
            ),
            clock,
        )
        spark = process.open(clock, never)
        assert spark is not None, "nobody stops it"
        desk = Desk(process.gateway.jvm, clock)
        has_run = warm_up(spark, desk, folder, clock, never, timeout_s=_QUERY_S_MAX)
        assert has_run, "the archive would lack what every query needs"
        _load_clients(process.gateway.jvm)
        with suppress(Py4JError):  # it cannot answer any more
            process.gateway.jvm.java.lang.System.exit(0)
        process.wait_end(_WRITING_S_MAX)


def _load_clients(jvm: Any) -> None:
    """Load the classes with which lanes would ask clusters: none is here."""
    loader = jvm.java.lang.ClassLoader.getSystemClassLoader()
    for name in chain.from_iterable(map(_classes, own_jars())):
        # Some need what only servers have.
        with suppress(Py4JJavaError):
            jvm.java.lang.Class.forName(name, False, loader)


def _classes(jar: Path) -> Iterator[str]:
    """Yield the names of what is Kafka's or ours in *jar*."""
    with ZipFile(jar) as file:
        for name in file.namelist():
            if name.endswith(_ENDING) and name.startswith(_PACKAGES):
                yield name.removesuffix(_ENDING).replace("/", ".")


if __name__ == "__main__":
    if sys.argv[1:2] == [_TRAIN]:
        _train(Path(sys.argv[2]))
    else:
        say(f"Spark's classes: {prepare_archive()}")
