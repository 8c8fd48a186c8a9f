"""What Java makes of topics' names with RegexRouter: the same here, or a refusal."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest

from kmirror.policy.regex import RegexProblem
from kmirror.policy.routes import read_format, read_route
from tests.support.java_program import run_java

PROGRAM = Path(__file__).with_name("JavaRoutes.java")
ROUTES = 6000
PIECES = (
    *"abAB1_-.|()()()*+?^$",
    *(
        "(.*)",
        "(.*?)",
        "(.+)",
        "[^.]+",
        "\\.",
        "(?:",
        "(?<n>",
        "a-z",
        "[a-c]",
        "[.]",
        "{2}",
        "{1,2}",
    ),
    *("(?i)", "*?", "+?", "??", ")?", ")??", "\\d", "\\w+", "\\b", "(a|ab)", "(|a)"),
)
REPLACEMENTS = (
    *("", "x", "$0", "$1", "$2", "$1$2", "a$1b", "$10", "$11", "${n}", "\\$1", "\\\\", "$", "\\"),
    *("$x", "${m}", "$1.$1", "é$1"),
)
# What a topic may be called.
NAMES = (
    *"abAB1_-.",
    *("aa", "ab", "ba", "a.b", "A.a", "A.ab.b", "a-b", "aab", "aaa", "aaaa", "abab", "A.t_1"),
    *("orders", "A.orders", "B.A.orders", "abcabc", "..", "a..b"),
)


def random_pattern(rng: random.Random) -> str:
    """Give a regex, or something like one; often it matches whole names."""
    body = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 6)))
    return rng.choice(("{}", "{}.*", "(.*?){}(.*)", ".*{}", "(?:{})?(.*)")).replace("{}", body, 1)


def _line(*texts: str) -> str:
    return ",".join(base64.b64encode(text.encode()).decode() for text in texts)


@pytest.mark.parametrize("seed", [20262])
def test_names_are_javas(seed: int) -> None:
    """What is not refused gives the same names; what Java refuses or fails at is refused."""
    rng = random.Random(seed)
    routes = [(random_pattern(rng), rng.choice(REPLACEMENTS)) for _ in range(ROUTES)]
    lines = "".join(f"{_line(*route, *NAMES)}\n" for route in routes)
    answers = run_java(PROGRAM, jars=(), lines=lines).splitlines()
    taken = renamed = 0
    for (pattern, replacement), answer in zip(routes, answers, strict=True):
        try:
            route = read_route(pattern, replacement)
        except RegexProblem:
            continue
        assert answer != "-", (pattern, seed)
        java = [
            None if word == "!" else base64.b64decode(word).decode() for word in answer.split(",")
        ]
        here = [route.renamed(name) for name in NAMES]
        assert here == java, (pattern, replacement, seed)
        taken += 1
        renamed += here != list(NAMES)
    assert taken > ROUTES / 10, seed
    assert renamed > ROUTES / 16, seed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${topic}", "A.t"),
        ("x-${topic}", "x-A.t"),
        ("${topic}.${topic}", "A.t.A.t"),
        ("fixed", "fixed"),
        ("$1\\${topic}", "$1\\A.t"),
    ],
)
def test_a_format_is_literal(text: str, expected: str) -> None:
    """TimestampRouter quotes what it puts in place of ${topic}."""
    assert read_format(text).renamed("A.t") == expected
