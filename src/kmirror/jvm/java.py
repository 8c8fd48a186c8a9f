"""The Java that runs Spark, the connector's compiler and the lab's brokers."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kmirror.errors import EnvironmentProblem

_JAVA_MIN = 17
_ANSWER_S_MAX = 60
# `JDK_JAVA_OPTIONS` and its like are told before the version, and make no other JVM.
_OPTIONS_OF_ENVIRONMENT = re.compile(r"(NOTE: )?Picked up ")
_HINT = f"install a JDK {_JAVA_MIN} or newer and set JAVA_HOME, or put its bin on PATH"


@dataclass(frozen=True, slots=True, kw_only=True)
class Java:
    """
    One Java installation.

    Args:
        path: Its `java` program.
        version: Its feature release, such as 17.
        build: Its full version text; two installations with the same text are the same JVM.
    """

    path: Path
    version: int
    build: str

    def tool(self, name: str) -> Path:
        """
        Return another program of the same installation, such as `javac`.

        Raises:
            EnvironmentProblem: This Java is a runtime without development tools.
        """
        # `java` on PATH is often a link into the installation, where its neighbours are.
        path = self.path.resolve().with_name(name)
        if not path.exists():
            raise EnvironmentProblem(f"{path.parent} has java but no {name}", hint=_HINT)
        return path


def find_java(environ: Mapping[str, str] = os.environ) -> Java:
    """
    Find Java: `JAVA_HOME` first, then `PATH`.

    Raises:
        EnvironmentProblem: There is none, it does not start, or it is older than 17.
    """
    home = environ.get("JAVA_HOME")
    if home:
        path = Path(home) / "bin" / "java"
        if not path.exists():
            raise EnvironmentProblem(f"JAVA_HOME is {home}, where there is no bin/java", hint=_HINT)
    else:
        found = shutil.which("java", path=environ.get("PATH"))
        if found is None:
            raise EnvironmentProblem("no java in JAVA_HOME or on PATH", hint=_HINT)
        path = Path(found)
    build = _version_text(path)
    match = re.search(r'version "(\d+)(?:\.(\d+))?', build)
    if match is None:
        raise EnvironmentProblem(f"{path} does not tell its version: {build!r}", hint=_HINT)
    # Java 8 and older call themselves 1.8
    version = int(match[2] or 1) if match[1] == "1" else int(match[1])
    if version < _JAVA_MIN:
        raise EnvironmentProblem(f"{path} is Java {version}", hint=_HINT)
    return Java(path=path, version=version, build=build)


@functools.cache
def _version_text(path: Path) -> str:
    try:
        done = subprocess.run(
            [path, "-version"], capture_output=True, text=True, timeout=_ANSWER_S_MAX, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentProblem(f"{path} does not run: {error}", hint=_HINT) from error
    lines = done.stderr.strip().splitlines()
    return "\n".join(line for line in lines if not _OPTIONS_OF_ENVIRONMENT.match(line))
