"""Small Java programs beside the tests, that use classes from inside the JVM."""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from kmirror.jvm import CLIENTS, class_path, connector_jar, find_java, jar_folder, pyspark_jars
from kmirror.jvm.connector import compile_connector
from kmirror.pipeline.tuning.table import plan_tuning

_END_S_MAX = 120
# What a plan has for the lanes.
_TUNING = f"-Dkmirror.tuning={json.dumps(plan_tuning())}"
_PACKAGE = re.compile(r"package (\S+);")


def connector_path() -> Sequence[Path]:
    """Where the connector's classes are, and those that it uses."""
    return (connector_jar(), pyspark_jars(), jar_folder(CLIENTS))


def compiled(source: Path, into: Path, *, jars: Sequence[Path]) -> Path:
    """
    Compile a class, and give the jar.

    Args:
        source: The file.
        into: Where the jar is put; it has the file's name.
        jars: Where the classes are that it uses.
    """
    jar = compile_connector([source], into / "none", into, beside=jars, report=lambda _: None)
    # Spark keeps only one jar of a name, and the connector's is another.
    return jar.rename(into / f"{source.stem}.jar")


def run_java(
    program: Path,
    *arguments: str,
    jars: Sequence[Path],
    lines: str = "",
) -> str:
    """
    Compile and run a program, and give what it prints.

    One of a package of the connector sees what only that package sees.

    Args:
        program: The file.
        arguments: Its arguments.
        jars: Where the classes are that it uses.
        lines: What it reads from standard input.
    """
    with tempfile.TemporaryDirectory() as made:
        jar = compiled(program, Path(made), jars=jars)
        package = _PACKAGE.match(program.read_text())
        name = f"{package[1]}.{program.stem}" if package else program.stem
        done = subprocess.run(
            [find_java().path, _TUNING, "-cp", class_path(jar, *jars), name, *arguments],
            input=lines,
            capture_output=True,
            text=True,
            timeout=_END_S_MAX,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    return done.stdout
