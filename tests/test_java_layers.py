"""Who may use whom in the connector: arrows between its packages go down only."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1] / "connector" / "src" / "main" / "java"
_KAFKA = "org.apache.kafka.clients.{}.internals"
# Lowest first; a package uses lower rows only, never its neighbours in a row. The last one has what
# Spark and Python name. What needs a class that Kafka shows to its own packages only is in those.
LAYERS = (
    ("io.kmirror.tuning",),
    ("io.kmirror.fetch", "io.kmirror.offsets", "io.kmirror.batch", "io.kmirror.audit"),
    (_KAFKA.format("consumer"), _KAFKA.format("producer"), "io.kmirror.driver"),
    ("io.kmirror.lane", "io.kmirror.stream"),
    ("io.kmirror.spark",),
    ("io.kmirror",),
)
KAFKA_CLASSES = {"BatchConsumer", "FetchNetwork", "BatchAppender", "BatchMemory", "EndlessSplits"}
NAMED_OUTSIDE = {
    *("Provider", "Plugin", "CheckpointFiles"),  # by Spark
    *("Desk", "Fencing", "Groups", "Logs", "PositionWriter"),  # by Python
    *("ClientCheck", "KeyStores", "Sessions", "Streams"),  # by Python
}
# Spark is met in its own package, at the entrance, and where the driver cuts work into tasks.
SPARK = {
    *("io.kmirror", "io.kmirror.spark"),
    *("io.kmirror.driver.Slot", "io.kmirror.lane.SourcePartition"),
}
_CLASS = r"[A-Z]\w*"


def _sources() -> list[Path]:
    return sorted(ROOT.rglob("*.java"))


def _package(source: Path) -> str:
    return ".".join(source.relative_to(ROOT).parts[:-1])


def _code(source: Path) -> str:
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", source.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


def _used(source: Path) -> set[str]:
    """Name the connector's packages that a file imports, or names in full."""
    known = {name for names in LAYERS for name in names}
    found = re.findall(rf"\b([a-z][\w.]*)\.{_CLASS}", _code(source))
    return {name for name in found if name in known} - {_package(source)}


def test_every_package_has_its_layer() -> None:
    """A new package is given its place in the table above before anybody uses it."""
    assert {_package(source) for source in _sources()} == {
        name for names in LAYERS for name in names
    }


def test_arrows_go_down_only() -> None:
    """No class uses its own row or what is above it; Java's imports are all by full name."""
    rows = {name: row for row, names in enumerate(LAYERS) for name in names}
    for source in _sources():
        assert not re.search(r"^import .*\*;", _code(source), flags=re.MULTILINE), source
        here = rows[_package(source)]
        assert not {name for name in _used(source) if rows[name] >= here}, source


def test_what_stands_in_kafkas_packages_needs_them() -> None:
    """Everything else has a package of the connector's."""
    inside = {source.stem for source in _sources() if _package(source).startswith("org.apache")}
    assert inside == KAFKA_CLASSES


def test_the_entrance_has_what_is_named_outside() -> None:
    """Spark's settings, a service file and Python's calls name these, and no others."""
    assert {s.stem for s in _sources() if _package(s) == "io.kmirror"} == NAMED_OUTSIDE


def test_spark_has_its_place() -> None:
    """A lane copies without Spark: only names of topics are kept in its kind of text."""
    for source in _sources():
        if re.search(r"^import org\.apache\.spark\.", _code(source), flags=re.MULTILINE):
            assert {_package(source), f"{_package(source)}.{source.stem}"} & SPARK, source


def test_comments_name_files_that_exist() -> None:
    """What Python writes and Java reads, or the other way round, is described on one side only."""
    for source in sorted(ROOT.parents[1].rglob("*.java")):
        for name in re.findall(r"\bkmirror/[\w/]+\.py\b", source.read_text(encoding="utf-8")):
            assert (ROOT.parents[3] / "src" / name).is_file(), f"{source}: {name}"
