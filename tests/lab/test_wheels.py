"""The wheels of the product and of the laboratory, installed into a fresh virtual environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZipFile

import pytest
from kmirror_lab.jars import KAFKA

from kmirror.cli.app import LAB_VERBS
from kmirror.jvm import CLIENTS
from kmirror.jvm.jars import read_digests

ROOT = Path(__file__).parents[2]
_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
_RUN_S_MAX = 180


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """
    A virtual environment with all that kmirror needs, but neither kmirror nor its laboratory.

    Args:
        folder: Where it is.
        wheels: The folder of both wheels.
    """

    folder: Path
    wheels: Path

    def install(self, wanted: str) -> None:
        """Have pip install *wanted*, from the wheels and from what is there already."""
        python = str(self.folder / "bin" / "python")
        where = ("--no-index", "--find-links", str(self.wheels))
        _run(*_PIP, "--python", python, "install", *where, wanted)

    def run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run one of its programs; it sees nothing of this checkout."""
        return subprocess.run(
            [str(self.folder / "bin" / program), *arguments],
            capture_output=True,
            text=True,
            timeout=_RUN_S_MAX,
            check=False,
            cwd=self.folder,
            env={**_without_checkout(), "COLUMNS": "200"},
        )

    def verbs(self) -> set[str]:
        """Give the verbs that `kmirror --help` shows."""
        answer = self.run("kmirror", "--help")
        assert answer.returncode == 0, answer.stderr
        return set(re.findall(r"^│ ([a-z]\w*) ", answer.stdout, re.MULTILINE))

    def fixtures(self) -> str:
        """Give what `pytest --fixtures` shows."""
        return self.run("python", "-m", "pytest", "--fixtures", "-p", "no:cacheprovider").stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    options = ("--no-deps", "--no-build-isolation", "--wheel-dir", str(folder))
    _run(*_PIP, "wheel", *options, str(ROOT), str(ROOT / "lab"))
    return folder


@pytest.fixture
def fresh(tmp_path: Path, wheels: Path) -> Environment:
    folder, others = tmp_path / "venv", tmp_path / "others"
    venv.create(folder, symlinks=True)
    others.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if path.suffix != ".pth" and not path.name.startswith("kmirror"):
            (others / path.name).symlink_to(path)
    base = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", scheme="venv", vars=base))
    (packages / "others.pth").write_text(f"{others}\n")
    return Environment(folder=folder, wheels=wheels)


def test_the_product_brings_nothing_of_the_laboratory(wheels: Path) -> None:
    """No file is in both wheels, each has its own jars' list, and the product needs less."""
    product, lab = _wheel(wheels, "kmirror"), _wheel(wheels, "kmirror_lab")
    assert {name.split("/")[0] for name in product.files if "dist-info" not in name} == {"kmirror"}
    assert {name.split("/")[0] for name in lab.files if "dist-info" not in name} == {"kmirror_lab"}
    assert "kmirror_lab/duplicates/scenarios/baseline.properties" in lab.files
    assert "kmirror_lab/report/templates/report.html.j2" in lab.files
    assert product.files["kmirror/jvm/ivy.xml"] == CLIENTS.ivy_file.read_bytes()
    assert lab.files["kmirror_lab/jars/ivy.xml"] == KAFKA.ivy_file.read_bytes()
    assert [name.rpartition("-")[0] for name in read_digests(CLIENTS)] == ["kafka-clients"]
    assert not product.needs & {"kmirror-lab", "pydantic", "matplotlib", "pytest"}
    assert lab.needs >= {"kmirror", "pydantic", "jinja2", "matplotlib"}


def test_the_product_alone_names_what_to_install(fresh: Environment) -> None:
    """No verb, no fixture; the answer to a verb of the laboratory says how to get it."""
    fresh.install("kmirror")
    assert not fresh.verbs() & LAB_VERBS
    assert "run" in fresh.verbs()
    assert "kafka_pair" not in fresh.fixtures()
    for verb in LAB_VERBS:
        answer = fresh.run("kmirror", verb)
        assert answer.returncode == 2
        assert "pip install 'kmirror[lab]'" in answer.stderr


def test_the_extra_brings_the_laboratory(fresh: Environment) -> None:
    """Its verbs, its commands, and its fixtures for pytest."""
    fresh.install("kmirror[lab]")
    assert fresh.verbs() >= LAB_VERBS | {"run"}
    assert "kafka_pair" in fresh.fixtures()
    for verb in LAB_VERBS:
        answer = fresh.run("kmirror", verb, "--help")
        assert answer.returncode == 0, answer.stderr
        assert f"kmirror {verb}" in answer.stdout
    listed = fresh.run("kmirror", "lab", "duplicates", "--list")
    assert "baseline" in listed.stdout, listed.stderr


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wheel:
    """What is in one: the content of files by name, and the packages it cannot be without."""

    files: dict[str, bytes]
    needs: set[str]


def _wheel(wheels: Path, name: str) -> _Wheel:
    (path,) = wheels.glob(f"{name}-*.whl")
    with ZipFile(path) as archive:
        files = {entry: archive.read(entry) for entry in archive.namelist()}
    (metadata,) = (text for entry, text in files.items() if entry.endswith("/METADATA"))
    needed = re.findall(r"^Requires-Dist: ([\w-]+)[^;\n]*$", metadata.decode(), re.MULTILINE)
    return _Wheel(files=files, needs=set(needed))


def _without_checkout() -> dict[str, str]:
    return {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}


def _run(*command: str) -> None:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=_RUN_S_MAX,
        check=False,
        env=_without_checkout(),
    )
    assert done.returncode == 0, done.stdout + done.stderr
