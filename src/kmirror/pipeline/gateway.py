"""A JVM without Spark, for commands that only need Kafka's own clients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.java_gateway import JavaGateway

from kmirror.jvm import class_path, find_java, own_jars, pyspark_jars
from kmirror.pipeline.deaf_processes import deaf_to_signals, no_signals_for_children
from kmirror.pipeline.jvm_options import LOGGING
from kmirror.waits import waiting


@contextmanager
def client_jvm() -> Iterator[Any]:
    """
    Yield a JVM with the connector on its class path; it ends with the block.

    Raises:
        EnvironmentProblem: Java or the jars are missing.
    """
    with waiting("for Java", "start a JVM"):
        gateway = _launch()
    try:
        yield gateway.jvm
    finally:
        gateway.shutdown()


def _launch() -> JavaGateway:
    folder = pyspark_jars()
    (py4j,) = folder.glob("py4j-*.jar")
    options = ["-Xmx256m", "-XX:+UseSerialGC", f"-Dlog4j2.configurationFile={LOGGING.as_uri()}"]
    jars = class_path(*own_jars(), folder)
    java = str(find_java().path)
    with no_signals_for_children():
        return JavaGateway.launch_gateway(
            jarpath=str(py4j),
            classpath=jars,
            javaopts=options,
            java_path=deaf_to_signals(java),
            use_shell=True,
            die_on_exit=True,
            enable_auth=True,
        )
