"""
The connector's own tests, written for JUnit: all of them run in one JVM.

`python -m tests.support.junit` writes JUnit's digest anew, after a change of its `ivy.xml`.
"""

from __future__ import annotations

import json
import re
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path

from kmirror.jvm import JarSet, class_path, find_java, jar_folder
from kmirror.jvm.connector import compile_connector
from kmirror.jvm.jars import write_digests
from kmirror.pipeline.tuning.table import plan_tuning
from tests.support.java_program import connector_path
from tests.support.parkings import wire_of_all

_FOLDER = Path(__file__).parents[2] / "connector" / "src" / "test"
_SOURCES = _FOLDER / "java"
JUNIT = JarSet(name="junit", folder=_FOLDER)
"""JUnit 5 in one jar."""
_TEST = re.compile(r"@(?:Parameterized)?Test\b.*?\bvoid (\w+)\(", re.DOTALL)
_END_S_MAX = 300


def junit_tests() -> list[str]:
    """Name every test of the sources, `Class.method`; one with parameters is one test."""
    return [
        f"{source.stem}.{method}"
        for source in sorted(_SOURCES.rglob("*Test.java"))
        for method in _TEST.findall(source.read_text(encoding="utf-8"))
    ]


def run_junit(folder: Path, plan: Path) -> Mapping[str, tuple[str, ...]]:
    """
    Compile and run them all.

    Args:
        folder: For what is made.
        plan: A plan file, for the test that reads one.

    Returns:
        What failed, by the name of each test that ran; nothing for one that did not fail.
    """
    jars = (*connector_path(), jar_folder(JUNIT, report=lambda _: None))
    sources = sorted(_SOURCES.rglob("*.java"))
    jar = compile_connector(sources, folder / "none", folder, beside=jars, report=lambda _: None)
    done = subprocess.run(
        [
            *(find_java().path, "-cp", class_path(jar, *jars)),
            f"-Dkmirror.tuning={json.dumps(plan_tuning())}",
            f"-Dkmirror.plan={plan}",
            f"-Dkmirror.parkings={wire_of_all()}",
            *("org.junit.platform.console.ConsoleLauncher", "execute"),
            *("--scan-class-path", jar, "--details=none", "--disable-banner"),
            f"--reports-dir={folder}",
        ],
        capture_output=True,
        text=True,
        timeout=_END_S_MAX,
        check=False,
    )
    report = folder / "TEST-junit-jupiter.xml"
    assert report.is_file(), done.stdout + done.stderr
    return _results(report)


def _results(report: Path) -> Mapping[str, tuple[str, ...]]:
    results: dict[str, tuple[str, ...]] = {}
    for case in ET.parse(report).iter("testcase"):
        method, _, parameters = case.attrib["name"].partition("(")
        name = f"{case.attrib['classname'].rpartition('.')[2]}.{method}"
        bad = [child for child in case if child.tag in {"failure", "error", "skipped"}]
        told = tuple(f"({parameters}: {child.text or child.tag}" for child in bad)
        results[name] = (*results.get(name, ()), *told)
    return results


if __name__ == "__main__":
    write_digests([JUNIT])
