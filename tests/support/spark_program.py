"""Small programs that start a Spark of their own, and tell what they have seen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.driver import start_guarded

_S_MAX = 120.0


def run_spark_program(
    program: str,
    place: Path,
    *arguments: str,
    given: str = "",
    environ: Mapping[str, str] | None = None,
) -> Any:
    """
    Run a program to its end; gives what it printed, as JSON.

    Args:
        program: In Python; its last argument is a private folder, which `spark_folder` gives, too.
        place: For that folder, and temporary files.
        arguments: Before that folder.
        given: Its standard input.
        environ: Environment variables besides ours.
    """
    process = start_guarded(
        [sys.executable, "-c", program, *arguments, spark_folder(place)],
        place / "tmp",
        environ=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    output, _ = process.communicate(given, timeout=_S_MAX)
    assert process.returncode == 0
    return json.loads(output)


def spark_folder(place: Path) -> Path:
    """Return the folder of such a program, made if it is not there."""
    folder = place / "spark"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
