"""The house rules, as tests: a rule that nobody checks is a wish."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kmirror import errors
from kmirror.config.load import load
from kmirror.jvm import connector, connector_jar
from tests.support.fault_table import NOT_YET, fault_rows

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "kmirror"
LAB = ROOT / "lab" / "src" / "kmirror_lab"
MODULE_LINES_MAX = 400
FUNCTION_LINES_MAX = 70
# Environment variables are read where a process begins or starts another one.
READS_ENVIRONMENT = {"cli", "config", "jvm"} | {
    "pipeline/launch.py",
    "pipeline/session.py",
    "pipeline/spark_jvm.py",
    "runtime/daemon.py",
    "process/process.py",
    "process/jvm_command.py",
}
UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|NotImplementedError)\b")
PROSE_COLUMNS_MAX = 120
MARKDOWN = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
# What `kmirror lab report` has written.
NOT_PROSE = {"docs/duplicates.md"}
PROSE = [
    page
    for page in sorted([*MARKDOWN, *(ROOT / "examples").rglob("*.md")])
    if str(page.relative_to(ROOT)) not in NOT_PROSE
]
_WHOLE_LINK = re.compile(r"[-*\s]*\[[^\]]*\]\([^)]*\)[.,;]?")
EXAMPLES = sorted((ROOT / "examples").rglob("*.properties"))


def _python(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def _nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def _without_fences(text: str) -> str:
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def test_modules_are_short() -> None:
    """A module that grows beyond its limit holds more than one noun."""
    java = sorted((ROOT / "connector").rglob("*.java"))
    for path in _python("src", "lab", "tests", "bench") + java:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        assert lines <= MODULE_LINES_MAX, f"{_name(path)}: {lines} lines"


def test_functions_fit_on_a_screen() -> None:
    """Branches in the parent, loops in the leaves; then functions stay short."""
    for path in _python("src", "lab", "tests", "bench"):
        for node in _nodes(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                assert lines <= FUNCTION_LINES_MAX, f"{_name(path)}:{node.lineno} {node.name}"


def test_only_the_clock_waits() -> None:
    """A sleep hides a condition that could be waited for, and tests that sleep are slow or lie."""
    for path in _python("src", "lab", "tests", "bench"):
        if path == SOURCE / "clock.py":
            continue
        for node in _nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module == "time":
                assert "sleep" not in {alias.name for alias in node.names}, _name(path)
            elif isinstance(node, ast.Attribute):
                assert ast.unparse(node) != "time.sleep", f"{_name(path)}:{node.lineno}"


def test_only_the_command_line_prints() -> None:
    """Everything else returns, raises or logs."""
    for path in _python("src", "lab"):
        for node in _nodes(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
                assert "cli" in path.relative_to(ROOT).parts, f"{_name(path)}:{node.lineno}"


def test_the_environment_is_read_in_few_places() -> None:
    """Everybody else is given what it needs, so that tests need not change the environment."""
    for path in _python("src", "lab"):
        relative = path.relative_to(LAB if path.is_relative_to(LAB) else SOURCE)
        if {relative.parts[0], str(relative)} & READS_ENVIRONMENT:
            continue
        for node in _nodes(path):
            if isinstance(node, ast.Attribute | ast.Call):
                text = ast.unparse(node)
                assert text != "os.environ", f"{_name(path)}:{node.lineno}"
                assert not text.startswith("os.getenv"), f"{_name(path)}:{node.lineno}"


def test_nothing_is_unfinished() -> None:
    """What is not done stands in the documents, not in the code."""
    java = sorted((ROOT / "connector").rglob("*.java"))
    for path in _python("src", "lab") + java:
        found = UNFINISHED.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{_name(path)}: {found}"


def test_the_connector_compiles_without_a_warning() -> None:
    """The build itself refuses warnings; this makes sure that it does, and that it passes."""
    build = inspect.getsource(connector)
    assert '"-Xlint:all' in build
    assert '"-Werror"' in build
    assert connector_jar().is_file()


@pytest.mark.parametrize("page", MARKDOWN, ids=_name)
def test_a_page_has_one_title(page: Path) -> None:
    """A second one is a second page."""
    text = _without_fences(page.read_text(encoding="utf-8"))
    assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1


@pytest.mark.parametrize("page", PROSE, ids=_name)
def test_prose_fits_on_a_screen(page: Path) -> None:
    """Tables, code, headings, pictures and lines that one link fills may be longer."""
    text = _without_fences(page.read_text(encoding="utf-8"))
    for line in text.splitlines():
        is_prose = not line.startswith(("|", "#", "![")) and _WHOLE_LINK.fullmatch(line) is None
        assert not is_prose or len(line) <= PROSE_COLUMNS_MAX, line


@pytest.mark.parametrize("page", MARKDOWN, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    """Links between pages are relative, and what they point at exists."""
    text = _without_fences(page.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if not link.startswith(("http://", "https://")):
            file, _, heading = link.partition("#")
            target = (page.parent / file) if file else page
            assert target.exists(), link
            if heading:
                assert heading in _headings(target), link


def _headings(page: Path) -> set[str]:
    """Give a page's headings as links name them."""
    lines = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", line.strip().lower()) for line in lines)
    return {text.replace(" ", "-") for text in words}


def test_every_error_is_explained() -> None:
    """An operator who sees an error's name finds what to do about it."""
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    for name, member in inspect.getmembers(errors, inspect.isclass):
        if issubclass(member, errors.MirrorError):
            assert f"`{name}`" in page, name


def test_every_guarantee_names_tests_that_exist() -> None:
    """A promise is as good as the test behind it."""
    page = (ROOT / "GUARANTEES.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page))
    assert named
    for file, test in sorted(named):
        path = ROOT / file
        assert path.is_file(), file
        defined = {node.name for node in _nodes(path) if isinstance(node, ast.FunctionDef)}
        assert test in defined, f"{file}::{test}"
    for file, test in re.findall(r"`(connector/src/test/[\w/]+\.java)::(\w+)`", page):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"Test\b[^;]*? void {test}\(", text), f"{file}::{test}"


def test_every_fault_has_a_test_or_says_so() -> None:
    """A row says what happened and where that is shown, or that nobody has tried."""
    rows = fault_rows()
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        is_open = row.proof == NOT_YET
        assert (bool(row.tests) or "`make soak`" in row.proof) != is_open, (
            f"row {row.number}: {row.proof}"
        )
        assert bool(row.happened) != is_open, f"row {row.number}: {row.happened}"


@pytest.mark.parametrize("example", EXAMPLES, ids=_name)
def test_examples_are_valid(example: Path) -> None:
    """An example is copied and run; it must be right, and quiet."""
    config = load(example, environ={"KAFKA_A_PASSWORD": "a", "KAFKA_B_PASSWORD": "b"})
    assert config.flows
    assert not config.warnings


@pytest.mark.parametrize("page", MARKDOWN, ids=_name)
def test_properties_files_in_pages_are_valid(page: Path, tmp_path: Path) -> None:
    """A fenced file that names its clusters is complete, so it must load."""
    fences = re.findall(
        r"^```properties\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    for number, text in enumerate(fences):
        if re.search(r"^clusters", text, re.MULTILINE):
            file = tmp_path / f"{number}.properties"
            file.write_text(text, encoding="utf-8")
            assert not load(file, environ={}).warnings
