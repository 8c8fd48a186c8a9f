"""The numbers that lanes decide by: the connector has the same, and the page shows them."""

from __future__ import annotations

import re
from pathlib import Path

from kmirror.pipeline.tuning.lane import REPORTING
from kmirror.pipeline.tuning.page import tuning_page
from kmirror.pipeline.tuning.table import PLAN_GROUPS, spark_tuning

_ROOT = Path(__file__).parents[3]
_JUNIT, _PYTEST = re.compile(r"\b[A-Z]\w+Test\b"), re.compile(r"\btests/[\w/]+\.py\b")
_PAGE = _ROOT / "docs" / "design" / "tuning.md"


def test_the_page_is_current() -> None:
    """`make docs` writes it."""
    assert _PAGE.read_text(encoding="utf-8") == tuning_page()


def test_each_number_says_what_it_is() -> None:
    """A number whose unit is in its name has that unit; none is named twice in a group."""
    for group in (*PLAN_GROUPS, REPORTING):
        assert len(group.values) == len(group.numbers), group.name
        for number in group.numbers:
            assert number.value > 0, number.name
            assert number.unit, number.name
            assert number.why.endswith("."), number.name
            if "_ms" in number.name:
                assert number.unit in {"ms", "bytes/ms"}, number.name


def test_measurements_name_what_exists() -> None:
    """A test that is named as a measurement is there."""
    for group in (*PLAN_GROUPS, REPORTING):
        for number in group.numbers:
            for name in _JUNIT.findall(number.measurement):
                assert list((_ROOT / "connector" / "src" / "test").rglob(f"{name}.java")), name
            for file in _PYTEST.findall(number.measurement):
                assert (_ROOT / file).is_file(), file


def test_what_no_plan_carries() -> None:
    """The plugin begins before there is a plan: it finds each number among Spark's settings."""
    plugin = _ROOT / "connector" / "src" / "main" / "java" / "io" / "kmirror" / "Plugin.java"
    text = plugin.read_text(encoding="utf-8")
    (prefix,) = re.findall(r'SETTINGS = "(.*)";', text)
    asked = re.findall(r'number\(context, "(\w+)"\)', text)
    assert {f"{prefix}{name}" for name in asked} == spark_tuning().keys()
    assert spark_tuning()["spark.kmirror.interval_ms"] == "100"
