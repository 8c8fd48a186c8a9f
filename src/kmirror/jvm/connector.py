"""The connector's jar: taken from the wheel, or compiled from a checkout's sources."""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror.jvm.cache import cache_home, make_once
from kmirror.jvm.jars import CLIENTS, class_path, jar_folder, pyspark_jars, say
from kmirror.jvm.java import find_java

JAR_NAME = "kmirror-connector.jar"
_PACKAGE = Path(__file__).parents[1]
PACKED = _PACKAGE / "jars" / JAR_NAME
_CONNECTOR = _PACKAGE.parents[1] / "connector"
_COMPILE_S_MAX = 600
# What foreign jars do wrong would make -Werror useless: `path` (their manifests name jars that
# are not there), `classfile` (annotations missing), `processing` (annotations nobody claims).
_LINT = "-Xlint:all,-path,-classfile,-processing"


def connector_jar(*, report: Callable[[str], None] = say) -> Path:
    """
    Return the jar of the DataSource `kmirror`.

    A wheel carries it. A checkout compiles its sources, again whenever they, the Java or the
    jars they are compiled against have changed.

    Args:
        report: Gets a line when something takes time.

    Raises:
        EnvironmentProblem: Neither jar nor sources are there, or they do not compile.
    """
    main = _CONNECTOR / "src" / "main"
    sources = sorted((main / "java").rglob("*.java"))
    if not sources:
        if PACKED.is_file():
            return PACKED
        raise EnvironmentProblem(
            f"the connector's jar is missing: {PACKED}", hint="install the kmirror wheel again"
        )
    resources = sorted(path for path in (main / "resources").rglob("*") if path.is_file())
    folder = cache_home() / "connector" / _digest(sources + resources)

    def build(draft: Path) -> None:
        compile_connector(sources, main / "resources", draft, report=report)

    return make_once(folder, build) / JAR_NAME


def own_jars(*, report: Callable[[str], None] = say) -> tuple[Path, ...]:
    """
    Return what Spark's class path lacks: the connector, and Kafka's clients.

    Args:
        report: Gets a line when something takes time.

    Raises:
        EnvironmentProblem: They are not there, and could not be made or fetched.
    """
    clients = jar_folder(CLIENTS, report=report)
    return (connector_jar(report=report), *sorted(clients.glob("*.jar")))


def compile_connector(
    sources: list[Path],
    resources: Path,
    into: Path,
    *,
    beside: Sequence[Path] = (),
    report: Callable[[str], None] = say,
) -> Path:
    """
    Compile *sources* and give the jar.

    Args:
        sources: The `.java` files.
        resources: A folder whose content goes into the jar as it is; it need not exist.
        into: Where the jar is put.
        beside: Jars that they need besides Spark's and Kafka's.
        report: Gets a line when something takes time.

    Raises:
        EnvironmentProblem: The compiler complained; the message is its output.
    """
    report(f"compiling the connector, {len(sources)} files")
    java = find_java()
    against = class_path(pyspark_jars(), jar_folder(CLIENTS, report=report), *beside)
    jar = into / JAR_NAME
    with tempfile.TemporaryDirectory() as classes:
        _run(
            [
                *(java.tool("javac"), "--release", "17", "-encoding", "UTF-8", _LINT, "-Werror"),
                *("-cp", against, "-d", classes),
                *sources,
            ]
        )
        pack: list[str | Path] = [java.tool("jar"), "--create", "--file", jar]
        # A fixed date makes the same sources give the same bytes.
        pack += ["--date", "1980-01-01T00:00:02Z", "-C", classes, "."]
        if resources.is_dir():
            pack += ["-C", resources, "."]
        _run(pack)
    return jar


def _digest(files: list[Path]) -> str:
    digest = hashlib.sha256(f"{find_java().build} {pyspark_jars()} {_LINT}".encode())
    digest.update(jar_folder(CLIENTS).parent.name.encode())
    for path in files:
        digest.update(f"\n{path.relative_to(_CONNECTOR)} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _run(command: list[str | Path]) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_COMPILE_S_MAX, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise EnvironmentProblem(f"{command[0]} does not run: {error}") from error
    if done.returncode != 0:
        raise EnvironmentProblem(f"the connector does not compile:\n{done.stdout}{done.stderr}")
