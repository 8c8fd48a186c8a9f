"""How the JVM of Spark is called: its collector, its compilers, its archive of classes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from kmirror.jvm import archive_key, pyspark_jars
from kmirror.jvm.cache import cache_home

ARCHIVE_NAME = "spark.jsa"
_CLASS_PATH, _JARS = "spark.driver.extraClassPath", "spark.jars"
LOGGING = Path(__file__).with_name("log4j2.properties")

# The optimizing compiler waits for fifteen times as many calls as by default. Spark's start calls
# much code a few thousand times; optimizing that took as much processor time as copying a gigabyte.
# What copies records is called often enough to be optimized all the same. Measured: with five times
# their copy needs a sixth more of the processors, with fifty times a tenth more.
_LATE_C2 = (
    "-XX:Tier4InvocationThreshold=75000 -XX:Tier4MinInvocationThreshold=10000 "
    "-XX:Tier4CompileThreshold=225000 -XX:Tier4BackEdgeThreshold=600000"
)

# What copies whole batches is called once for each of them. The quick compiler's code serves it as
# well, and does not count calls for the optimizing one. Measured: a fifth less processor time for
# 2 GB, an eighth for 10 GB. A copy of records needs more than twice as much with it.
_QUICK = "-XX:TieredStopAtLevel=1"

# Spark's classes need 35 MiB. With Java's default of 21 the collector stops all twice, to look
# for classes that can go, for 0.1 s each time: at the start, and in the first seam or in the end.
_CLASSES = "-XX:MetaspaceSize=128m"

# A heap that is nearly full is collected again and again, and nothing else is done. By default the
# JVM gives up when less than 2 % of it can be freed in 98 % of the time; at 8 % it would go on for
# ever, as if the flow stood still. With these it gives up earlier; it is not certain to.
_FULL = "-XX:GCTimeLimit=80 -XX:GCHeapFreeLimit=20"

# Records live for a moment only: the parallel collector has a quarter less to do with them than G1,
# and its pauses of some milliseconds are short beside a commit.
_COLLECTOR = f"-XX:+UseParallelGC {_FULL} {_CLASSES}"


def executor_options(*, by_record: bool) -> str:
    """
    Return how the JVM of an executor is called.

    Args:
        by_record: It does something with each single record.
    """
    return f"{_COLLECTOR} {_LATE_C2 if by_record else _QUICK}"


def driver_options(*, by_record: bool) -> str:
    """Return how the driver's JVM is called; see `executor_options`."""
    return f"{executor_options(by_record=by_record)} -Dlog4j2.configurationFile={LOGGING.as_uri()}"


def archive_folder(own: Sequence[Path]) -> Path:
    """
    Where the archive of classes is, if it was made; see `class_archive`.

    Args:
        own: The jars before Spark's on the class path.
    """
    jars = pyspark_jars()
    place = hashlib.sha256(str(jars).encode()).hexdigest()[:8]
    return cache_home() / f"spark-classes-{place}-{archive_key(jars, *own)}"


def archive_options(own: Sequence[Path]) -> str:
    """
    Return the options with which the JVM uses the archive; none if there is none.

    Args:
        own: The jars before Spark's on the class path.
    """
    archive = archive_folder(own) / ARCHIVE_NAME
    if not archive.exists():
        return ""
    # An archive that does not fit is no reason to stop, nor to say so.
    return f"-XX:SharedArchiveFile={archive} -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off"


def class_path_settings(
    own: Sequence[Path], settings: Mapping[str, str], *, one_process: bool
) -> dict[str, str]:
    """
    Return the settings with which Spark finds our jars.

    The driver has them on the class path of its JVM: an archive can hold no other classes. What the
    operator puts there comes first, as with Spark, and then no archive fits. Classes of
    `spark.jars` have a class loader of their own that sees ours.

    Args:
        own: Our jars.
        settings: The settings so far.
        one_process: No executor is a process of its own, to which Spark would have to send them.
    """
    path = [settings.get(_CLASS_PATH, ""), *map(str, own)]
    sent = ["" if one_process else ",".join(map(str, own)), settings.get(_JARS, "")]
    return {
        _CLASS_PATH: os.pathsep.join(filter(None, path)),
        _JARS: ",".join(filter(None, sent)),
    }
