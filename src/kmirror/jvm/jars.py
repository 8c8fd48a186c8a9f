"""
The jars: fetched once by the Ivy that ships inside PySpark, kept in the cache.

An `ivy.xml` names every one of them with its exact version, and `jars.sha256` beside it the
SHA-256 of its file: what a repository gives is used only when it is that. This package has
kmirror's own pair; another distribution can bring one for its own jars.
"""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror.jvm.cache import cache_home, make_once
from kmirror.jvm.java import find_java

_FETCH_S_MAX = 1800


@dataclass(frozen=True, slots=True, kw_only=True)
class JarSet:
    """
    One configuration of an `ivy.xml`.

    Args:
        name: The configuration's.
        folder: Where `ivy.xml` and `jars.sha256` are.
    """

    name: str
    folder: Path

    @property
    def ivy_file(self) -> Path:
        """The jars and their versions."""
        return self.folder / "ivy.xml"

    @property
    def digests_file(self) -> Path:
        """The SHA-256 of each."""
        return self.folder / "jars.sha256"


CLIENTS = JarSet(name="clients", folder=Path(__file__).parent)
"""kafka-clients alone: PySpark brings what it needs (lz4, snappy, zstd, slf4j)."""


def say(line: str) -> None:
    """Tell the person at the terminal what takes so long."""
    sys.stderr.write(f"kmirror: {line}\n")
    sys.stderr.flush()


def pyspark_jars() -> Path:
    """
    Give the folder of PySpark's jars, without importing PySpark.

    Raises:
        EnvironmentProblem: PySpark is not installed, or is the client without jars.
    """
    spec = importlib.util.find_spec("pyspark")
    folder = Path(spec.origin).parent / "jars" if spec and spec.origin else None
    if folder is None or not folder.is_dir():
        raise EnvironmentProblem("PySpark with its jars is missing", hint="pip install pyspark")
    return folder


def archive_key(folder: Path, *beside: Path) -> str:
    """
    Name what an archive of classes belongs to.

    Only the JVM that wrote one can use it, and with the very jars: it looks at their times.

    Args:
        folder: The jars.
        beside: Jars that lie elsewhere.
    """
    jars = sorted((str(jar), jar.stat().st_mtime_ns) for jar in (*folder.iterdir(), *beside))
    return hashlib.sha256(f"{find_java().build} {folder} {jars}".encode()).hexdigest()[:8]


def jar_folder(jars: JarSet, *, report: Callable[[str], None] = say) -> Path:
    """
    Give the folder with the jars of one set; the first call fetches them.

    Args:
        jars: Which set.
        report: Gets a line when something takes time.

    Raises:
        EnvironmentProblem: They could not be fetched, or are others than those that were meant.
    """
    wanted = jars.ivy_file.read_bytes() + jars.digests_file.read_bytes()
    folder = cache_home() / "jars" / hashlib.sha256(wanted).hexdigest()[:16] / jars.name

    def fetch(draft: Path) -> None:
        _retrieve(jars, draft, report)
        check_digests(draft, read_digests(jars))
        report(f"{len(list(draft.iterdir()))} jars of '{jars.name}' are ready")

    return make_once(folder, fetch)


def read_digests(jars: JarSet) -> Mapping[str, str]:
    """Return the SHA-256 of every jar that *jars* names in its `ivy.xml`, by its file name."""
    lines = (line.split() for line in jars.digests_file.read_text(encoding="utf-8").splitlines())
    return {name: digest for digest, name in lines}


def check_digests(folder: Path, known: Mapping[str, str]) -> None:
    """
    Compare fetched jars with what is known of them.

    Args:
        folder: The jars.
        known: The SHA-256 of each, by its name.

    Raises:
        EnvironmentProblem: One is not what it should be. Ivy's copy of it is removed.
    """
    for jar in sorted(folder.glob("*.jar")):
        found = _sha256(jar)
        if found != known.get(jar.name):
            for copy in (cache_home() / "ivy").rglob(jar.name):
                copy.unlink()
            raise EnvironmentProblem(
                f"{jar.name} is not the file that kmirror was built with, and is not used: its "
                f"SHA-256 is {found}, expected {known.get(jar.name, 'none')}",
                hint="try again; when it stays so, ask who runs the Java repository or its mirror",
            )


def write_digests(sets: Sequence[JarSet], *, report: Callable[[str], None] = say) -> None:
    """
    Fetch every jar that an `ivy.xml` names, and write down what it is: after a change there.

    Args:
        sets: All configurations of that file.
        report: Gets a line when something takes time.

    Raises:
        EnvironmentProblem: They could not be fetched.
    """
    digests: dict[str, str] = {}
    for jars in sets:
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made) / jars.name
            folder.mkdir()
            _retrieve(jars, folder, report)
            digests |= {jar.name: _sha256(jar) for jar in folder.glob("*.jar")}
    lines = (f"{digests[name]}  {name}\n" for name in sorted(digests))
    sets[0].digests_file.write_text("".join(lines), encoding="utf-8")


def _sha256(jar: Path) -> str:
    with jar.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def class_path(*folders: Path) -> str:
    """Write *folders* of jars, or single jars, as Java's `-cp` takes them."""
    return ":".join(str(path / "*") if path.is_dir() else str(path) for path in folders)


def _retrieve(jars: JarSet, into: Path, report: Callable[[str], None]) -> None:
    report(f"fetching the jars of '{jars.name}' (once, a minute or two)")
    log = into.parent / f"{into.name}.log"
    command: list[str | Path] = [
        *(find_java().path, "-cp", class_path(pyspark_jars()), "org.apache.ivy.Main"),
        *("-ivy", jars.ivy_file, "-cache", cache_home() / "ivy", "-confs", jars.name),
        *("-retrieve", f"{into}/[artifact]-[revision].[ext]", "-types", "jar", "bundle"),
    ]
    with log.open("w") as output:
        try:
            done = subprocess.run(
                command, stdout=output, stderr=subprocess.STDOUT, timeout=_FETCH_S_MAX, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise _not_fetched(jars, log) from error
    if done.returncode != 0 or not any(into.glob("*.jar")):
        raise _not_fetched(jars, log)
    log.unlink()


def _not_fetched(jars: JarSet, log: Path) -> EnvironmentProblem:
    return EnvironmentProblem(
        f"Ivy could not fetch the jars of '{jars.name}'",
        hint=f"the reason is in {log}; the machine needs a way to the public Java repository",
    )
