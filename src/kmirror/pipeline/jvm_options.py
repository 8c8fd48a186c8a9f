"""How the JVM of Spark is called: its collector, its compilers, its archive of classes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from kmirror.jvm import archive_key, pyspark_jars
from kmirror.jvm.cache import cache_home

ARCHIVE_NAME = "spark.jsa"
LOGGING = Path(__file__).with_name("log4j2.properties")

# The optimizing compiler waits for fifteen times as many calls as by default. Spark's start calls
# much code a few thousand times; optimizing that took as much processor time as copying a gigabyte.
# What copies is called often enough to be optimized all the same. Measured: with five times a copy
# of records needs a sixth more of the processors, with fifty times a tenth more.
_LATE_C2 = (
    "-XX:Tier4InvocationThreshold=75000 -XX:Tier4MinInvocationThreshold=10000 "
    "-XX:Tier4CompileThreshold=225000 -XX:Tier4BackEdgeThreshold=600000"
)

# Spark's classes need 35 MiB. With Java's default of 21 the collector stops all twice, to look
# for classes that can go, for 0.1 s each time: at the start, and in the first seam or in the end.
_CLASSES = "-XX:MetaspaceSize=128m"

# Records live for a moment only: the parallel collector has a quarter less to do with them than G1,
# and its pauses of some milliseconds are short beside a commit.
JAVA_OPTIONS = (
    f"-XX:+UseParallelGC {_CLASSES} {_LATE_C2} -Dlog4j2.configurationFile={LOGGING.as_uri()}"
)


def archive_folder() -> Path:
    """Where the archive of Spark's classes is, if it was made; see `class_archive`."""
    jars = pyspark_jars()
    place = hashlib.sha256(str(jars).encode()).hexdigest()[:8]
    return cache_home() / f"spark-classes-{place}-{archive_key(jars)}"


def archive_options() -> str:
    """Return the options with which the JVM uses the archive; none if there is none."""
    archive = archive_folder() / ARCHIVE_NAME
    if not archive.exists():
        return ""
    # An archive that does not fit is no reason to stop, nor to say so.
    return f"-XX:SharedArchiveFile={archive} -Xshare:auto -Xlog:cds=off -Xlog:cds+dynamic=off"
