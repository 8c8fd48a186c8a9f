"""Programs beside the tests that use the connector's classes from inside the JVM."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kmirror.jvm import JarSet, class_path, connector_jar, find_java, jar_folder, pyspark_jars

_END_S_MAX = 120


def run_java(file: str, *arguments: str, lines: str = "") -> str:
    """
    Compile and run one file, and give what it prints.

    Args:
        file: Its name, in this folder.
        arguments: Its arguments.
        lines: What it reads from standard input.
    """
    jars = class_path(connector_jar(), pyspark_jars(), jar_folder(JarSet.CLIENTS))
    done = subprocess.run(
        [find_java().path, "-cp", jars, Path(__file__).with_name(file), *arguments],
        input=lines,
        capture_output=True,
        text=True,
        timeout=_END_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
