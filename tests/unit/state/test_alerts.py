"""The alerts that are shipped: each fires and clears, and asks for metrics that there are."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from kmirror.state.metrics.metric import MetricType
from kmirror.state.metrics.table import METRICS
from tests.support.scrapes import selectors

ROOT = Path(__file__).parents[3]
RULES = ROOT / "deploy" / "prometheus" / "kmirror-rules.yml"
CASES = ROOT / "tests" / "data" / "prometheus" / "kmirror-rules-test.yml"
PROMTOOL = shutil.which("promtool")


def rules() -> list[dict[str, Any]]:
    read = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    return [rule for group in read["groups"] for rule in group["rules"]]


def test_each_alert_is_tried_to_fire_and_to_clear() -> None:
    cases = yaml.safe_load(CASES.read_text(encoding="utf-8"))["tests"]
    tried = {
        (step["alertname"], bool(step["exp_alerts"]))
        for case in cases
        for step in case["alert_rule_test"]
    }
    clears = {(rule["alert"], False) for rule in rules()}
    assert tried == clears | {(name, True) for name, _ in clears}


@pytest.mark.skipif(PROMTOOL is None, reason="promtool is not here: Debian's prometheus has it")
def test_promtool_sees_them_fire_and_clear() -> None:
    assert PROMTOOL is not None
    done = subprocess.run(
        [PROMTOOL, "test", "rules", str(CASES)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_alert_has_its_line_on_the_page() -> None:
    """Whoever is woken finds what to do, in the order of the file; no line is of none."""
    page = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
    (section,) = re.findall(r"^## Alerts$(.*?)^## ", page, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^\| `(\w+)` \| (.+) \| (.+) \|$", section, re.MULTILINE)
    assert [name for name, _, _ in lines] == [rule["alert"] for rule in rules()]
    assert all(fires.strip() and does.strip() for _, fires, does in lines)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: str(rule["alert"]))
def test_an_alert_asks_for_what_there_is(rule: dict[str, Any]) -> None:
    """And says what to do in words that end."""
    for selector in selectors(rule["expr"]):
        name = selector.name
        for suffix in ("_bucket", "_count", "_sum"):
            base = name.removesuffix(suffix)
            if base in METRICS and METRICS[base].type is MetricType.HISTOGRAM:
                name = base
        assert name == "up" or name in METRICS, selector
        labels = {label for label, _, _ in selector.matchers} - {"job", "instance", "le"}
        assert name == "up" or labels <= set(METRICS[name].labels), selector
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert rule["annotations"]["summary"]
    assert rule["annotations"]["description"].endswith(".")
