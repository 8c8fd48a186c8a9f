"""
Java, the jars and the connector: everything of the JVM's that PySpark does not bring.

Nothing here starts Spark. `python -m kmirror.jvm` prepares the machine and says what it does;
without it every part is prepared when it is first needed.
"""

from __future__ import annotations

from kmirror.jvm.connector import connector_jar, own_jars
from kmirror.jvm.jars import (
    CLIENTS,
    JarSet,
    archive_key,
    class_path,
    jar_folder,
    pyspark_jars,
)
from kmirror.jvm.java import Java, find_java

__all__ = [
    "CLIENTS",
    "JarSet",
    "Java",
    "archive_key",
    "class_path",
    "connector_jar",
    "find_java",
    "jar_folder",
    "own_jars",
    "pyspark_jars",
]
