"""What the user's regexes select."""

from __future__ import annotations

import time

import pytest

from kmirror.policy.filters import ConfigPropertyFilter, NameFilter
from kmirror.policy.regex import RegexProblem, compile_any


def matches(pattern: str, text: str) -> bool:
    compiled = compile_any((pattern,))
    return compiled is not None and compiled.matches(text)


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
        (r"(?<n>a)b", "ab", "a"),
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
        (r"a+?b{1,2}?", "aabb", "abbb"),
        (r"(?i)[a-c&&[^B]]", "C", "b"),
        (r"(?iu)k", "\u212a", "q"),
        (r"\p{L}+", "caf\u00e9", "caf3"),
        (r"[\p{Lu}&&[^A-Z]]", "\u00c9", "E"),
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
    ("pattern", "construct"),
    [
        ("a(?=b).*", "a look-ahead, (?=,"),
        ("(?!internal).*", "a negative look-ahead, (?!,"),
        (".*(?<=b)", "a look-behind, (?<=,"),
        (".*(?<!b)", "a negative look-behind, (?<!,"),
        ("(?>a|ab)c", "an atomic group, (?>,"),
        ("a++b", "a possessive quantifier, ++,"),
        ("a{2,3}+b", "a possessive quantifier, {2,3}+,"),
        (r"(a)\1", r"a back reference, \1,"),
        (r"(?<n>a)\k<n>", r"a back reference, \k,"),
    ],
)
def test_what_needs_backtracking_is_refused_with_what_to_do(pattern: str, construct: str) -> None:
    with pytest.raises(RegexProblem, match=r"cannot be matched in linear time: \S+ \S+") as caught:
        compile_any((pattern,))
    assert construct in str(caught.value)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a|aa)+$",
        "(a+)+",
        "(.*)*",
        "((a+)b)*",
        "(a*){12}",
        "(a|b+){3,}",
        "(?:a+a+)+y",
        "(a?){60}a{60}",
        "(.*a){60}b",
    ],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    """Each of these takes minutes, or for ever, in Python or in Java."""
    names = ["a" * 58 + "!", "a" * 248 + "!"]
    begun = time.perf_counter()
    found = [matches(pattern, name) for name in names]
    assert time.perf_counter() - begun < 1.0
    assert found == [pattern == "(.*)*"] * 2


def test_repeats_and_sizes_have_limits() -> None:
    with pytest.raises(RegexProblem, match="more than 1000"):
        compile_any(("a{1001}",))
    with pytest.raises(RegexProblem, match="too large"):
        compile_any(("(a{100}){100}",))
    with pytest.raises(RegexProblem, match="too large"):
        compile_any((r"\p{L}" * 3000,))
    for opened in ("[", "(a|"):
        with pytest.raises(RegexProblem, match="within each other"):
            compile_any((opened * 5000,))


def test_long_regexes_and_long_lists_are_fine() -> None:
    assert matches("|".join(f"topic-{i}" for i in range(2000)), "topic-1999")
    assert NameFilter([f"topic-{i}" for i in range(2000)], ()).allows("topic-1999")


def test_the_refused_one_of_several_is_counted() -> None:
    with pytest.raises(RegexProblem, match=r"^regex 2 of 3: a negative look-ahead"):
        compile_any(("a", "(?!b).*", "c"))


def test_topic_settings_that_must_differ_are_not_copied() -> None:
    settings = ConfigPropertyFilter()
    assert settings.allows("retention.ms")
    assert not settings.allows("min.insync.replicas")


@pytest.mark.parametrize(
    "name", ["message.timestamp.before.max.ms", "message.timestamp.after.max.ms"]
)
def test_timestamp_limits_are_excluded_by_the_names_that_topics_have(name: str) -> None:
    """MirrorMaker 2's list has the brokers' names only, and excludes nothing by them."""
    assert not ConfigPropertyFilter().allows(name)
    assert ConfigPropertyFilter(exclude=["retention.ms"]).allows(name)
