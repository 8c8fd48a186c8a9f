"""What Java itself says of patterns and names: the same here, or a refusal."""

from __future__ import annotations

import base64
import random
from pathlib import Path

import pytest

from kmirror.policy.regex import RegexProblem, compile_any
from tests.support.java_program import run_java

PROGRAM = Path(__file__).with_name("JavaRegexes.java")
PATTERNS = 6000
# What patterns are put together from, at random: parts of classes and of groups, and broken ones.
PIECES = (
    *"abAZks19_-.&[]^$()|*+?{},:<#é\u0130\u0131\u017f\u212a ",
    *("&&", "[^", "(?:", "(?<n>", "a-z", "A-C", "0-9", "!--", "{2}", "{1,2}", "{0,}", "*?", "+?"),
    *("(?i)", "(?i:", "(?-i)", "(?iu)", "(?s)", "(?d)", "(?is-s:"),
    *(rf"\{letter}" for letter in "dDwWsShHvVRbBAzZteQE.-[]&"),
    *(r"\x41", r"\u0062", r"\x{131}", r"\0141", r"\cA", r"\pN", r"\p{L}", r"\p{Lu}", r"\p{Ll}"),
    *(r"\p{Lt}", r"\p{Alpha}", r"\P{Lower}", r"\p{Upper}", r"\p{Punct}", r"\p{gc=Lu}", r"\p{IsN}"),
    *(r"\p{IsLowercase}", r"\p{IsUppercase}", r"\p{IsDigit}"),
)
ASCII_NAMES = (
    *"abAZkKsSi19_-.&[]^$ #!,{:}(z",
    *("", "aa", "ab", "Ab", "a1", "a-b", "a.b", "aaa", "ba", "bb", "b1", "A1_", "[a]", "a&b", "a-"),
)
# Line breaks, and letters whose case is not ASCII's: consumer groups may have such names.
OTHER_NAMES = (
    *"\t\n\x01\x0b\x1b\u2028é\u0130\u0131\u017f\u212a\u01c5\u0661\u00aa\U0001f600",
    *("éa", "\r\n", "a\n"),
)


def _random_pattern(rng: random.Random) -> str:
    body = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 7)))
    around = rng.choice(("{}", "[{}]", "({})", "(?i){}", "(?i)[{}]"))
    return around.replace("{}", body, 1)


def _line(*texts: str) -> str:
    return ",".join(base64.b64encode(text.encode()).decode() for text in texts)


def _here(pattern: str, names: tuple[str, ...]) -> str | None:
    try:
        compiled = compile_any((pattern,))
    except RegexProblem:
        return None
    assert compiled is not None
    return "".join("1" if compiled.matches(name) else "0" for name in names)


@pytest.mark.parametrize("seed", [20261])
def test_names_match_as_in_java(seed: int) -> None:
    """What is not refused matches the same names; what Java refuses is refused."""
    rng = random.Random(seed)
    patterns = [_random_pattern(rng) for _ in range(PATTERNS)]
    names = ASCII_NAMES + OTHER_NAMES
    lines = "".join(f"{_line(pattern, *names)}\n" for pattern in patterns)
    answers = run_java(PROGRAM, jars=(), lines=lines).splitlines()
    taken = 0
    for pattern, java in zip(patterns, answers, strict=True):
        # Edges of words beyond ASCII depend on Java's version, ends of lines on line breaks.
        compared = (
            ASCII_NAMES if any(place in pattern for place in ("\\b", "\\B", "$", "\\Z")) else names
        )
        here = _here(pattern, compared)
        if here is not None:
            assert here == java[: len(compared)], (pattern, seed)
            taken += 1
    assert taken > PATTERNS / 2, seed
