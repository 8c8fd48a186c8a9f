"""A JVM without Spark, for commands that only need Kafka's own clients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.java_gateway import JavaGateway

from kmirror.jvm import JarSet, class_path, connector_jar, find_java, jar_folder, pyspark_jars
from kmirror.pipeline.session import LOGGING


@contextmanager
def client_jvm() -> Iterator[Any]:
    """
    Give a JVM with the connector on its class path; it ends with the block.

    Raises:
        EnvironmentProblem: Java or the jars are missing.
    """
    folder = pyspark_jars()
    (py4j,) = folder.glob("py4j-*.jar")
    gateway = JavaGateway.launch_gateway(
        jarpath=str(py4j),
        classpath=class_path(connector_jar(), folder, jar_folder(JarSet.CLIENTS)),
        javaopts=["-Xmx256m", "-XX:+UseSerialGC", f"-Dlog4j2.configurationFile={LOGGING.as_uri()}"],
        java_path=str(find_java().path),
        die_on_exit=True,
        enable_auth=True,
    )
    try:
        yield gateway.jvm
    finally:
        gateway.shutdown()
