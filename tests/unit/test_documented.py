"""Output that pages show: how it is found, compared and written."""

from __future__ import annotations

import re

import pytest

from tests.support.documented import PAGES, blocks, rewritten, same

_PAGE = """\
# Page

<!-- output: first -->
```
$ kmirror status x
lag 3 records
```

```
no output
```
"""


def test_every_name_is_there_once() -> None:
    """A block's name says which command it is."""
    names = [block.name for page in PAGES for block in blocks(page)]
    assert len(names) > 5
    assert len(names) == len(set(names))


def test_every_marker_has_its_block() -> None:
    """A marker that stands before something else would guard nothing."""
    for page in PAGES:
        markers = re.findall("<!-- output:", page.read_text(encoding="utf-8"))
        assert len(markers) == len(list(blocks(page))), page


def test_what_looks_like_output_is_marked() -> None:
    """A command with its output below is kept true, or it would be wrong one day."""
    for page in PAGES:
        shown = re.findall(r"^\$ kmirror .*$", page.read_text(encoding="utf-8"), re.MULTILINE)
        kept = [block.text.splitlines()[0] for block in blocks(page)]
        assert [line for line in shown if line not in kept] == [], page


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("lag 3 records", "lag 1,204 records", True),
        ("1 record", "25 records", True),
        ("time (RTO): 5.8 s", "time (RTO): 12.3 s", True),
        ("a   b\n", "a b  ", True),
        ("process 7 on host-b (driver)", "process 12 on mirror-1 (driver)", True),
        ("process 7 on host-b (driver)", "process 12 on mirror-1 (kmirror)", False),
        ("2026-01-12 17:56:16,838 INFO x", "2027-12-31 00:00:00,000 INFO x", True),
        ("2026-01-12 17:56:16,838 INFO x", "2026-01-12 17:56:16,838 WARNING x", False),
        ("identical, hash d1d52e79bc4b629c3bbc84719f4252f3", "identical", False),
        ("a\nb", "a", False),
    ],
)
def test_what_counts(one: str, other: str, *, expected: bool) -> None:
    """Labels do, and lines; numbers, times and widths of columns do not."""
    assert same(one, other) == expected


def test_writing() -> None:
    """A block changes when its words do, and nothing else does."""
    assert rewritten(_PAGE, {"first": "$ kmirror status x\nlag 9 records"}) == _PAGE
    new = rewritten(_PAGE, {"first": "$ kmirror status x\nbehind 9"})
    assert new == _PAGE.replace("lag 3 records", "behind 9")
    assert rewritten(_PAGE, {"second": "x"}) == _PAGE
