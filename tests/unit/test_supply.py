"""What is fetched from registries is exactly what was meant."""

from __future__ import annotations

import hashlib
import re
import shutil
import tomllib
from pathlib import Path
from xml.etree import ElementTree as ET

import kmirror_lab
import pytest
from kmirror_lab.jars import KAFKA

import kmirror
from kmirror.cli.app import LAB_VERBS
from kmirror.errors import EnvironmentProblem
from kmirror.jvm import CLIENTS, JarSet, jar_folder
from kmirror.jvm.cache import cache_home
from kmirror.jvm.jars import read_digests
from tests.support.axe import AXE
from tests.support.junit import JUNIT

ROOT = Path(__file__).parents[2]
PRODUCT, LAB = (
    tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    for folder in (ROOT, ROOT / "lab")
)
LOCKS = ("requirements-build.lock", "requirements-run.lock", "requirements.lock")
ENTRY = re.compile(r"^([\w.-]+)==(\S+)(?: ;[^\\]*)? \\$", re.MULTILINE)


def locked(name: str) -> dict[str, str]:
    """Return the packages of a lock file and their versions."""
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
    """Each package that a pyproject.toml names is locked in its version, the build's too."""
    extras = PRODUCT["project"]["optional-dependencies"].values()
    asked = [item for file in (PRODUCT, LAB) for item in file["project"]["dependencies"]]
    asked += [item for extra in extras for item in extra]
    build = [item for file in (PRODUCT, LAB) for item in file["build-system"]["requires"]]
    build += PRODUCT["dependency-groups"]["build"]
    for lock, names in (("requirements.lock", asked), ("requirements-build.lock", build)):
        versions = locked(lock)
        for name in names:
            if not name.startswith("kmirror"):
                package, version = name.split("==")
                assert versions[_plain(package)] == version, f"{name}: make lock"
    run, everything = locked("requirements-run.lock"), locked("requirements.lock")
    assert run.items() <= everything.items()
    needed = {_plain(item.split("==")[0]) for item in PRODUCT["project"]["dependencies"]}
    assert needed <= run.keys()
    shared = locked(LOCKS[0]).keys() & everything.keys()
    assert all(locked(LOCKS[0])[name] == everything[name] for name in shared)


def test_the_two_distributions_fit_each_other() -> None:
    """Each asks for the other in the version that it has; kmirror knows the laboratory's verbs."""
    assert f"kmirror[pages]=={kmirror.__version__}" in LAB["project"]["dependencies"]
    extra = PRODUCT["project"]["optional-dependencies"]["lab"]
    assert extra == [f"kmirror-lab=={kmirror_lab.__version__}"]
    assert LAB["project"]["entry-points"]["kmirror.verbs"].keys() == LAB_VERBS


@pytest.mark.parametrize("jars", [CLIENTS, KAFKA, JUNIT, AXE], ids=lambda jars: jars.name)
def test_every_jar_has_its_digest(jars: JarSet) -> None:
    """`python -m kmirror.jvm --digests` writes them, or `python -m kmirror_lab.jars --digests`."""
    modules = ET.parse(jars.ivy_file).iter("dependency")
    files = {f"{module.get('name')}-{module.get('rev')}.jar" for module in modules}
    assert files == read_digests(jars).keys()


def test_the_lab_has_the_clients_of_the_product() -> None:
    """Its class path is one of its own, but of the same kafka-clients."""
    assert read_digests(CLIENTS).items() <= read_digests(KAFKA).items()


def test_another_file_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clear error; neither the folder of jars nor Ivy's cache keeps it."""
    fetched = next(jar_folder(CLIENTS).glob("kafka-clients-*.jar"))
    digest = hashlib.sha256(fetched.read_bytes()).hexdigest()
    kept, home = "ivy/org.apache.kafka/kafka-clients", tmp_path / "home"
    cache = cache_home() / kept
    monkeypatch.setenv("KMIRROR_HOME", str(home))
    jars = JarSet(name=CLIENTS.name, folder=tmp_path)
    shutil.copy(CLIENTS.ivy_file, jars.ivy_file)

    jars.digests_file.write_text(f"{'0' * 64}  {fetched.name}\n")
    _copy(cache, home / kept)
    with pytest.raises(EnvironmentProblem) as caught:
        jar_folder(jars, report=lambda _: None)
    assert f"{fetched.name} is not the file" in caught.value.message
    assert f"is {digest}, expected {'0' * 64}" in caught.value.message
    assert not list(home.rglob(fetched.name))

    jars.digests_file.write_text(f"{digest}  {fetched.name}\n")
    _copy(cache, home / kept)
    folder = jar_folder(jars, report=lambda _: None)
    assert [jar.name for jar in folder.iterdir()] == [fetched.name]


def _copy(cache: Path, to: Path) -> None:
    """Spare the download, where there was one."""
    if cache.is_dir():
        shutil.copytree(cache, to, dirs_exist_ok=True)
