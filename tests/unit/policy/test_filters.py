"""What the user's regexes select."""

from __future__ import annotations

import pytest

from kmirror.policy.filters import ConfigPropertyFilter, NameFilter
from kmirror.policy.regex import RegexProblem, compile_any


def matches(pattern: str, text: str) -> bool:
    compiled = compile_any((pattern,))
    return compiled is not None and compiled.fullmatch(text) is not None


def test_a_filter_matches_whole_names_and_exclude_wins() -> None:
    topics = NameFilter(("orders", "user-.*"), (".*-test",))
    assert topics.allows("orders")
    assert not topics.allows("orders-2")
    assert topics.allows("user-actions")
    assert not topics.allows("user-test")


def test_no_topics_match_nothing() -> None:
    assert not NameFilter((), ()).allows("a")


def test_the_quoted_blacklist_of_a_real_file_works_as_in_java() -> None:
    """`"*` is a quote, any number of times; the second part ends in a quote no topic has."""
    topics = NameFilter((".*",), ('"*.internal', '__.*"'))
    assert not topics.allows(".internal")
    assert topics.allows("orders.internal")
    assert topics.allows("__consumer_offsets")


def test_alternatives_are_joined_before_they_are_read() -> None:
    """`topics = (a,b)` is one group with two alternatives, as in MM2."""
    assert NameFilter(("(a", "b)"), ()).allows("b")


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        (r"\p{Alpha}+", "abc", "ab1"),
        (r"\P{Digit}", "a", "1"),
        (r"\p{L}\p{N}", "a1", "1a"),
        (r"(?<n>a)\k<n>", "aa", "ab"),
        (r"[a-z&&[^b]]", "a", "b"),
        (r"[a-c[x-z]]", "y", "d"),
        (r"[^a-c[x-z]]", "d", "y"),
        (r"[\p{Alpha}_]+", "a_b", "1"),
        (r"[]a]", "]", "b"),
        (r"[a\-z]", "-", "b"),
        (r"\Qa.b\E", "a.b", "axb"),
        (r"\Qa.b", "a.b", "axb"),
        (r"a\z", "a", "b"),
        (r"(?i)ORDERS", "orders", "order"),
        (r"a|(?i)b|c", "C", "A"),
        (r"(?i:a)b", "Ab", "AB"),
        (r"a++b", "aab", "b"),
        (r"(?>a|ab)c", "ac", "abc"),
        (r"\x61\u0062\x{63}", "abc", "abd"),
        (r"\w+\.\d{2}", "ab.12", "ab.1"),
        (r"[\w.-]+", "a.b-c", "a b"),
        (r"\h", " ", "a"),
        (r"(a{1,3}-){2}", "a-aaa-", "a-"),
        (r"user_\d", "user_1", "user_\u0661"),
    ],
)
def test_java_regexes_mean_in_python_what_they_mean_in_java(
    pattern: str, yes: str, no: str
) -> None:
    assert matches(pattern, yes)
    assert not matches(pattern, no)


@pytest.mark.parametrize(
    "pattern",
    [
        "*.internal",
        "a**",
        "(a",
        "a)",
        "[a",
        "a{2",
        "x{,2}",
        "a\\",
        r"\y",
        "(?x)a",
        "(?P<n>a)",
        "[b-a]",
        "[a&&]",
    ],
)
def test_what_java_refuses_is_refused(pattern: str) -> None:
    with pytest.raises(RegexProblem):
        compile_any((pattern,))


@pytest.mark.parametrize(
    "pattern", ["(a+)+", "(.*)*", "((a+)b)*", "(a*){12}", "(a|b+){3,}", "(?:x+x+)+y"]
)
def test_repeats_of_repeats_are_refused(pattern: str) -> None:
    with pytest.raises(RegexProblem, match="repeat of a repeat"):
        compile_any((pattern,))


@pytest.mark.parametrize("pattern", ["(a+)?", "(a|b)+", "([a-z]+-){3}", "a+b+", "(a)(b+)"])
def test_harmless_repeats_are_not_refused(pattern: str) -> None:
    assert compile_any((pattern,)) is not None


def test_a_long_regex_is_refused_and_a_long_list_is_not() -> None:
    with pytest.raises(RegexProblem, match="at most 1000"):
        compile_any(("a" * 1001,))
    assert NameFilter([f"topic-{i}" for i in range(2000)], ()).allows("topic-1999")


def test_topic_settings_that_must_differ_are_not_copied() -> None:
    settings = ConfigPropertyFilter()
    assert settings.allows("retention.ms")
    assert not settings.allows("min.insync.replicas")
    assert not settings.allows_source_default("retention.ms")
    assert ConfigPropertyFilter(use_defaults_from="source").allows_source_default("retention.ms")
