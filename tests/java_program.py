"""Small Java programs beside the tests, that use classes from inside the JVM."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from kmirror.jvm import JarSet, class_path, connector_jar, find_java, jar_folder, pyspark_jars

_END_S_MAX = 120


def connector_path() -> Sequence[Path]:
    """Where the connector's classes are, and those that it uses."""
    return (connector_jar(), pyspark_jars(), jar_folder(JarSet.CLIENTS))


def run_java(file: Path, *arguments: str, jars: Sequence[Path], lines: str = "") -> str:
    """
    Compile and run one file, and give what it prints.

    Args:
        file: The program.
        arguments: Its arguments.
        jars: Where the classes are that it uses.
        lines: What it reads from standard input.
    """
    done = subprocess.run(
        [find_java().path, "-cp", class_path(*jars), file, *arguments],
        input=lines,
        capture_output=True,
        text=True,
        timeout=_END_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
