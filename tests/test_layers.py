"""Who may import whom: arrows go down only. ARCHITECTURE.md shows the same tables to people."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "kmirror"
LAB = ROOT / "lab" / "src" / "kmirror_lab"

# Lowest first; a package imports from lower rows only, never from its neighbours in a row.
LAYERS = (
    ("errors", "model", "clock", "memory_file", "pieces", "signal_mask", "units", "waits"),
    ("schedule", "events", "pages"),
    ("policy", "wire"),
    ("config", "plans", "offsets", "sequence"),
    ("jvm", "admin", "tune", "importers"),
    ("pipeline", "verify", "load", "api", "apps"),
    # Where applications of older versions find what is in `apps` now.
    ("state", "control", "client", "consume", "merged", "logical"),
    ("ends",),
    ("groups", "inspect", "parity", "canary", "audit"),
    ("flows", "moves"),
    ("runtime",),
    ("connect", "mm1", "console"),
    ("server",),
    ("cli",),
)
PURE = {
    "errors",
    "model",
    "pieces",
    "units",
    "events/event.py",
    "events/fields.py",
    "events/mm1.py",
    "events/reloads.py",
    "events/rest.py",
    "events/table.py",
    "events/topic_settings.py",
    "events/docs.py",
    "policy",
    "wire",
    "config",
    "plans",
    "offsets",
    "sequence",
    "tune",
    "importers",
    "api/flows.py",
    "api/answers.py",
    "api/audits.py",
    "api/canaries.py",
    "api/orders.py",
    "api/codec.py",
    "api/clusters.py",
    "api/config.py",
    "apps/consume.py",
    "mm1/client_files.py",
    "mm1/config.py",
    "connect/definitions.py",
    "connect/documentation.py",
    "connect/model.py",
    "connect/plugin_checks.py",
    "connect/plugins.py",
    "connect/source_checks.py",
    "connect/validation.py",
    "connect/value_rules.py",
    "connect/config_state.py",
    "connect/offset_state.py",
    "connect/status_state.py",
    "control/caller.py",
    "load/content.py",
    "load/course.py",
    "load/pace.py",
    "load/result.py",
    "load/sizes.py",
    "pages/page.py",
    "apps/event_time_merge.py",
}
IMPURE_LIBRARIES = {
    *("pyspark", "py4j", "confluent_kafka", "starlette", "typer", "rich", "textual", "psutil"),
    *("subprocess", "socket", "signal", "threading", "multiprocessing"),
}
# One library for each job, and one place for each library: packages, or modules where few do.
LIBRARIES = {
    "pyspark": {"pipeline", "flows/parts.py", "flows/mirror_flow.py", "runtime/flow_host.py"},
    "py4j": {"pipeline", "runtime/supervisor.py"},
    "confluent_kafka": {
        *("admin", "verify", "apps/merged_reader.py"),
        *("load/consumer.py", "load/producer.py"),
        *("canary/canary.py", "canary/prober.py"),
    },
    "re2": {"policy"},
    "subprocess": {"jvm", "pipeline", "runtime/daemon.py"},
    "socket": {"pipeline/master.py", "admin/listeners.py", "admin/shown_certificates.py", "server"},
    "kmirror_lab": set(),
    "pytest": set(),
    "pydantic": set(),
    "typer": {"cli"},
    "rich": {"cli"},
    "structlog": {"cli/logs.py"},
    "starlette": {"server"},
    "prometheus_client": {"state"},
    "opentelemetry": {"state/otlp/collector_client.py", "state/otlp/points.py"},
    "yaml": {"importers"},
    "uvicorn": {"server"},
    "matplotlib": {"pages"},
    "jinja2": {"pages", "server/console/templates.py"},
    "markupsafe": {"pages"},
    "argon2": {"server"},
    "cryptography": {"audit/seal.py"},
    "textual": {"cli/top_app.py"},
}
# The same for the laboratory, which is for those who try and test: it knows nothing of flows.
LAB_LAYERS = (
    ("jars",),
    ("process",),
    ("cluster",),
    ("oracle",),
    ("net", "fixtures", "web"),
    ("duplicates",),
    ("report",),
    ("cli",),
)
LAB_LIBRARIES = {
    "pytest": {"fixtures.py"},
    "pydantic": {"duplicates/runs_file.py"},
    "matplotlib": {"report/plots.py"},
    "jinja2": {"report/page.py"},
    "typer": {"cli"},
    "rich": {"cli"},
    "starlette": {"web"},
}


def _modules(root: Path = PACKAGE) -> list[Path]:
    return sorted(root.rglob("*.py"))


def _home(module: Path) -> str:
    """Name the package, or the single module, that *module* belongs to."""
    root = LAB if module.is_relative_to(LAB) else PACKAGE
    return module.relative_to(root).parts[0].removesuffix(".py")


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


def _neighbours(module: Path, distribution: str = "kmirror") -> set[str]:
    """Name the packages of a distribution that a file imports, but for its own."""
    parts = [name.split(".") for name in _imports(module)]
    found = {part[1] for part in parts if part[0] == distribution and len(part) > 1}
    is_own = module.is_relative_to(LAB if distribution == "kmirror_lab" else PACKAGE)
    return found - {_home(module)} if is_own else found


def _below(home: str, layers: tuple[tuple[str, ...], ...] = LAYERS) -> set[str]:
    """Name everything that *home* may import."""
    home_row = next(row for row, names in enumerate(layers) if home in names)
    return {name for names in layers[:home_row] for name in names}


def test_every_package_has_its_layer() -> None:
    """A new package is given its place in the table above before anybody imports it."""
    for root, layers in ((PACKAGE, LAYERS), (LAB, LAB_LAYERS)):
        known = {name for names in layers for name in names} | {"__init__"}
        assert {_home(module) for module in _modules(root)} == known


def test_architecture_shows_the_same_tables() -> None:
    """Rows are numbered from the lowest; the product's table comes first."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| ((?:`\w+`(?:, )?)+) \|", page, re.MULTILINE)
    shown = [(int(row), tuple(re.findall(r"\w+", names))) for row, names in rows]
    product = list(enumerate(LAYERS, start=1))[::-1]
    assert shown == product + list(enumerate(LAB_LAYERS, start=1))[::-1]


def test_imports_go_down_only() -> None:
    """No module imports from its own row or from above."""
    for root, layers, name in ((PACKAGE, LAYERS, "kmirror"), (LAB, LAB_LAYERS, "kmirror_lab")):
        for module in _modules(root):
            below = set() if _home(module) == "__init__" else _below(_home(module), layers)
            assert not _neighbours(module, name) - below, module


def test_the_lab_stands_on_what_computes_and_starts() -> None:
    """What it tries is nothing that it is made of; its commands and pages are made like others."""
    low = _below("pipeline")
    high = {"cli": _below("cli") | {"cli"}, "web": low | {"server", "control"}}
    for module in _modules(LAB):
        may = high.get(_home(module), low)
        assert not _neighbours(module) - may, module


def test_pure_packages_do_nothing_but_compute() -> None:
    """They can be imported and tested without Spark, Kafka, threads, processes or a network."""
    for module in _modules():
        if {_home(module), str(module.relative_to(PACKAGE))} & PURE:
            roots = {name.split(".")[0] for name in _imports(module)}
            assert not roots & IMPURE_LIBRARIES, module


@pytest.mark.parametrize("library", LIBRARIES)
def test_each_library_has_its_place(library: str) -> None:
    """Exchanging a library changes the packages named above, and no others."""
    _check_places(library, PACKAGE, LIBRARIES)


@pytest.mark.parametrize("library", LAB_LIBRARIES)
def test_each_library_has_its_place_in_the_lab(library: str) -> None:
    """What only one command needs is not loaded by the others."""
    _check_places(library, LAB, LAB_LIBRARIES)


def _check_places(library: str, root: Path, libraries: dict[str, set[str]]) -> None:
    for module in _modules(root):
        if library in {name.split(".")[0] for name in _imports(module)}:
            places = {_home(module), str(module.relative_to(root))}
            assert places & libraries[library], f"{module} imports {library}"


def test_spark_is_only_named_outside_the_pipeline() -> None:
    """Whoever hands the session on may name its type, and nothing else of PySpark's."""
    for module in _modules():
        if _home(module) == "pipeline":
            continue
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pyspark"):
                assert node.module == "pyspark.sql", module
                assert [alias.name for alias in node.names] == ["SparkSession"], module
