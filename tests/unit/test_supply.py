"""What is fetched from registries is exactly what was meant."""

from __future__ import annotations

import hashlib
import re
import shutil
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from kmirror.errors import EnvironmentProblem
from kmirror.jvm import JarSet, jar_folder, jars
from kmirror.jvm.cache import cache_home

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements-build.lock", "requirements.lock")
ENTRY = re.compile(r"^([\w.-]+)==(\S+)(?: ;[^\\]*)? \\$", re.MULTILINE)


def locked(name: str) -> dict[str, str]:
    """The packages of a lock file and their versions."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {_plain(package): version for package, version in ENTRY.findall(text)}


def _plain(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_has_the_digests_of_its_files(lock: str) -> None:
    """`make lock` writes them."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    entries = re.split(r"^(?=[^\s#])", text, flags=re.MULTILINE)[1:]
    for entry in entries:
        assert re.fullmatch(r"\S+==.*\\\n(    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+", entry), entry
    assert len(entries) == len(locked(lock))


def test_the_locks_agree_with_what_is_asked_for() -> None:
    """Each package that pyproject.toml names is locked in its version, the build's too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"].values()
    asked = [*project["project"]["dependencies"], *(item for extra in extras for item in extra)]
    build = [*project["build-system"]["requires"], *project["dependency-groups"]["build"]]
    for lock, names in (("requirements.lock", asked), ("requirements-build.lock", build)):
        versions = locked(lock)
        for name in names:
            if not name.startswith("kmirror"):
                package, version = name.split("==")
                assert versions[_plain(package)] == version, f"{name}: make lock"
    shared = locked(LOCKS[0]).keys() & locked(LOCKS[1]).keys()
    assert all(locked(LOCKS[0])[name] == locked(LOCKS[1])[name] for name in shared)


def test_every_jar_has_its_digest() -> None:
    """`python -m kmirror.jvm --digests` writes them."""
    modules = ET.parse(jars.IVY_FILE).iter("dependency")
    files = {f"{module.get('name')}-{module.get('rev')}.jar" for module in modules}
    assert files == jars.read_digests().keys()


def test_another_file_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clear error; neither the folder of jars nor Ivy's cache keeps it."""
    fetched = next(jar_folder(JarSet.CLIENTS).glob("kafka-clients-*.jar"))
    digest = hashlib.sha256(fetched.read_bytes()).hexdigest()
    kept, home = "ivy/org.apache.kafka/kafka-clients", tmp_path / "home"
    cache = cache_home() / kept
    monkeypatch.setenv("KMIRROR_HOME", str(home))
    digests = tmp_path / "jars.sha256"
    monkeypatch.setattr(jars, "DIGESTS_FILE", digests)

    digests.write_text(f"{'0' * 64}  {fetched.name}\n")
    _copy(cache, home / kept)
    with pytest.raises(EnvironmentProblem) as caught:
        jar_folder(JarSet.CLIENTS, report=lambda _: None)
    assert f"{fetched.name} is not the file" in caught.value.message
    assert f"is {digest}, expected {'0' * 64}" in caught.value.message
    assert not list(home.rglob(fetched.name))

    digests.write_text(f"{digest}  {fetched.name}\n")
    _copy(cache, home / kept)
    folder = jar_folder(JarSet.CLIENTS, report=lambda _: None)
    assert [jar.name for jar in folder.iterdir()] == [fetched.name]


def _copy(cache: Path, to: Path) -> None:
    """Spare the download, where there was one."""
    if cache.is_dir():
        shutil.copytree(cache, to, dirs_exist_ok=True)
