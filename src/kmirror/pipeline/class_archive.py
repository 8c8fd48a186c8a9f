"""
An archive of Spark's classes, with which its JVM starts in half the time.

The JVM can keep loaded classes in a file (class data sharing, JEP 350). Spark loads 10,000 of them
before it does anything. `python -m kmirror.pipeline.class_archive` makes the archive, once, by
starting Spark and running a query that copies nothing; everything works without it, only later.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from py4j.protocol import Py4JError

from kmirror.clock import SystemClock
from kmirror.errors import EnvironmentProblem
from kmirror.jvm.cache import make_once
from kmirror.jvm.jars import say
from kmirror.pipeline.desk import Desk
from kmirror.pipeline.jvm_options import ARCHIVE_NAME, archive_folder
from kmirror.pipeline.session import SparkProcess
from kmirror.pipeline.warm_up import warm_up
from kmirror.pipeline.work_folder import work_folder

_TRAINING_S_MAX = 300
_WRITING_S_MAX = 120
_TRAIN = "--train"


def prepare_archive() -> Path:
    """
    Return the archive; it is made when it is not there, or when PySpark was installed anew.

    Raises:
        EnvironmentProblem: Java or the jars are missing, or Spark did not start.
    """
    return make_once(archive_folder(), _build) / ARCHIVE_NAME


def _build(into: Path) -> None:
    """Let another process do it: one can start Spark's JVM only once."""
    _remove_outdated()
    say("preparing a fast start of Spark (once, half a minute)")
    command = [sys.executable, "-m", __spec__.name, _TRAIN, str(into / ARCHIVE_NAME)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_TRAINING_S_MAX, check=False
    )
    if not (into / ARCHIVE_NAME).exists():
        raise EnvironmentProblem(f"Spark did not start: {done.stdout}{done.stderr}")


def _remove_outdated() -> None:
    """Remove archives of what was installed at the same place before."""
    wanted = archive_folder()
    place, _, _ = wanted.name.rpartition("-")
    for folder in wanted.parent.glob(f"{place}-*/"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.with_name(f"{folder.name}.lock").unlink(missing_ok=True)


def _train(archive: Path) -> None:
    """Start Spark, run a query, and end the JVM in order: it writes the archive then."""
    with work_folder() as folder:
        process = SparkProcess(
            app="kmirror training",
            slots=1,
            master=None,
            settings={},
            folder=folder,
            java_options=f"-XX:ArchiveClassesAtExit={archive}",
        )
        clock, never = SystemClock(), threading.Event()
        spark = process.open(clock, never)
        assert spark is not None, "nobody stops it"
        has_run = warm_up(spark, Desk(process.gateway.jvm), folder, clock, never)
        assert has_run, "the archive would lack what every query needs"
        with suppress(Py4JError):  # it cannot answer any more
            process.gateway.jvm.java.lang.System.exit(0)
        process.gateway.proc.wait(_WRITING_S_MAX)


if __name__ == "__main__":
    if sys.argv[1:2] == [_TRAIN]:
        _train(Path(sys.argv[2]))
    else:
        say(f"Spark's classes: {prepare_archive()}")
