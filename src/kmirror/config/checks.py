"""Checks of single values that their type and range alone do not make."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from kmirror.config.keys.key import Value, ValueProblem
from kmirror.config.response_headers import read_response_headers
from kmirror.policy.principal_names import PrincipalRuleProblem, read_principal_rules
from kmirror.policy.regex import RegexProblem, compile_any
from kmirror.policy.window import WindowProblem, read_window

_ADDRESS = re.compile(r"\[?([0-9a-zA-Z\-._:%]*)\]?:([0-9]{1,5})")
_SERVER = re.compile(r"([a-zA-Z_]+://)?(\[[0-9a-fA-F:.%]+\]|[^\s:\[\]/]+):([0-9]{1,5})")
_TOPIC_TEXT = re.compile(r"[a-zA-Z0-9._-]+")
_SELECT_TEXT_MAX = 10_000


def check_regexes(value: Value) -> None:
    """Check that the joined regexes are valid in Java and run in linear time."""
    assert isinstance(value, tuple)
    try:
        compile_any(value)
    except RegexProblem as problem:
        raise ValueProblem(f"expected regexes: {problem}") from problem


def check_servers(value: Value) -> None:
    """Every part is `host:port`."""
    assert isinstance(value, tuple)
    if not value:
        raise ValueProblem("expected host:port; separate several with commas")
    for server in value:
        found = _SERVER.fullmatch(server)
        if found is None or not 0 < int(found[3]) < 1 << 16:
            raise ValueProblem(f"expected host:port, separated by commas; {server} is not one")


def split_address(text: str) -> tuple[str, int]:
    """
    Split `host:port`; an empty host is every address of the machine, and port 0 any free one.

    Raises:
        ValueProblem: It is none.
    """
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or int(found[2]) >= 1 << 16:
        raise ValueProblem("expected HOST:PORT, such as 127.0.0.1:9404")
    return found[1], int(found[2])


def check_address(value: Value) -> None:
    """Check that the text is `host:port`."""
    assert isinstance(value, str)
    split_address(value)


def check_window(value: Value) -> None:
    """Check that the text is a time window."""
    assert isinstance(value, str)
    try:
        read_window(value)
    except WindowProblem as problem:
        raise ValueProblem(str(problem)) from problem


def check_response_headers(value: Value) -> None:
    """Check that the text is headers with what is done with them."""
    assert isinstance(value, str)
    read_response_headers(value)


def check_principal_rules(value: Value) -> None:
    """Check that the text is rules that Kafka's brokers would take."""
    assert isinstance(value, str)
    try:
        read_principal_rules(value)
    except PrincipalRuleProblem as problem:
        raise ValueProblem(str(problem)) from problem


def check_topic_text(value: Value) -> None:
    """Check that the text may be part of a topic name."""
    assert isinstance(value, str)
    if not _TOPIC_TEXT.fullmatch(value):
        raise ValueProblem(
            "expected letters, digits, '.', '_' or '-': it becomes part of topic names"
        )


def check_sql(value: Value) -> None:
    """There is some SQL, and not a book of it; Spark itself reads it at start."""
    assert isinstance(value, str)
    if not 0 < len(value) <= _SELECT_TEXT_MAX:
        raise ValueProblem(f"expected a SQL expression of 1 to {_SELECT_TEXT_MAX} characters")


def check_not_empty(value: Value) -> None:
    """Check that the list is not empty."""
    if not value:
        raise ValueProblem("expected at least one value")


def one_of_classes(*names: str) -> Callable[[Value], None]:
    """Return a check that the value is one of *names*, with or without its Java package."""
    known = {short: name for name in names for short in (name, name.rpartition(".")[2])}

    def check(value: Value) -> None:
        if value not in known:
            raise ValueProblem(_class_text(known))

    return check


def _class_text(known: Mapping[str, str]) -> str:
    return (
        f"expected {' or '.join(sorted(set(known.values())))}: Java classes cannot be loaded here"
    )
