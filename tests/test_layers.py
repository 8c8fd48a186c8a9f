"""Who may import whom: arrows go down only. ARCHITECTURE.md draws the same table for people."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "kmirror"

# Lowest first; a package imports from lower rows only, never from its neighbours in a row.
LAYERS = (
    ("errors", "model", "clock", "pieces", "units", "waits"),
    ("schedule",),
    ("policy", "wire"),
    ("config", "plans", "offsets"),
    ("jvm", "admin", "tune"),
    ("pipeline", "verify", "apps"),
    # Where applications of older versions find what is in `apps` now.
    ("state", "client", "consume", "merged", "logical"),
    ("ends",),
    ("groups", "inspect"),
    ("flows", "moves"),
    ("runtime",),
    ("cli",),
)
PURE = {
    "errors",
    "model",
    "pieces",
    "units",
    "policy",
    "wire",
    "config",
    "plans",
    "offsets",
    "tune",
    "apps/consume.py",
    "apps/event_time_merge.py",
}
IMPURE_LIBRARIES = {
    *("pyspark", "py4j", "confluent_kafka", "starlette", "typer", "rich", "psutil"),
    *("subprocess", "socket", "signal", "threading", "multiprocessing"),
}
# One library for each job, and one place for each library: packages, or modules where few do.
LIBRARIES = {
    "pyspark": {"pipeline", "flows/generation.py", "flows/mirror_flow.py", "runtime/driver.py"},
    "py4j": {"pipeline", "runtime/supervisor.py"},
    "confluent_kafka": {"admin", "verify", "lab", "apps/merged_reader.py"},
    "re2": {"policy"},
    "subprocess": {"jvm", "pipeline", "lab"},
    "socket": {"lab", "pipeline/master.py"},
    "pytest": {"lab/fixtures.py"},
    "matplotlib": {"lab/report/plots.py"},
    "jinja2": {"lab/report/page.py"},
    "typer": {"cli"},
    "rich": {"cli"},
}


def _modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def _home(module: Path) -> str:
    """Name the package, or the single module, that *module* belongs to."""
    first = module.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@functools.cache
def _imports(module: Path) -> tuple[str, ...]:
    """Give the full name of every module that is imported anywhere in a file."""
    return tuple(_imported(module))


def _imported(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports by a relative name"
            assert node.module is not None
            yield node.module
            if node.module == "kmirror":
                yield from (f"kmirror.{alias.name}" for alias in node.names)


def _neighbours(module: Path) -> set[str]:
    """Name the other packages of kmirror that a file imports."""
    parts = [name.split(".") for name in _imports(module)]
    found = {part[1] for part in parts if part[0] == "kmirror" and len(part) > 1}
    return found - {_home(module)}


def _below(home: str) -> set[str]:
    """Name everything that *home* may import."""
    if home == "lab":
        # The lab is for those who try and test; it knows nothing of what it is used to try.
        home_row = next(row for row, names in enumerate(LAYERS) if "pipeline" in names)
    else:
        home_row = next(row for row, names in enumerate(LAYERS) if home in names)
    below = {name for names in LAYERS[:home_row] for name in names}
    return below | {"lab"} if home == "cli" else below


def test_every_package_has_its_layer() -> None:
    """A new package is given its place in the table above before anybody imports it."""
    known = {name for names in LAYERS for name in names} | {"lab", "__init__"}
    assert {_home(module) for module in _modules()} == known


def test_imports_go_down_only() -> None:
    """No module imports from its own row or from above; only the command line uses the lab."""
    for module in _modules():
        below = set() if _home(module) == "__init__" else _below(_home(module))
        assert not _neighbours(module) - below, module


def test_pure_packages_do_nothing_but_compute() -> None:
    """They can be imported and tested without Spark, Kafka, threads, processes or a network."""
    for module in _modules():
        if {_home(module), str(module.relative_to(PACKAGE))} & PURE:
            roots = {name.split(".")[0] for name in _imports(module)}
            assert not roots & IMPURE_LIBRARIES, module


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_library_has_its_place(library: str) -> None:
    """Exchanging a library changes the packages named above, and no others."""
    for module in _modules():
        if library in {name.split(".")[0] for name in _imports(module)}:
            places = {_home(module), str(module.relative_to(PACKAGE))}
            assert places & LIBRARIES[library], f"{module} imports {library}"


def test_spark_is_only_named_outside_the_pipeline() -> None:
    """Whoever hands the session on may name its type, and nothing else of PySpark's."""
    for module in _modules():
        if _home(module) == "pipeline":
            continue
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pyspark"):
                assert node.module == "pyspark.sql", module
                assert [alias.name for alias in node.names] == ["SparkSession"], module
