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
        folder = Path(made)
        jar = compile_connector(
            [program], folder / "none", folder, beside=jars, report=lambda _: None
        )
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
