"""`sasl.jaas.config`: one line of Java's login configuration."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"' r"|'((?:[^'\\]|\\.)*)'" r'|([=;])|([^\s=;"\']+))', re.DOTALL
)
_FLAGS = ("required", "requisite", "sufficient", "optional")


class JaasProblem(ValueError):
    """The text is no login configuration. The message omits it, because it holds a password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginModule:
    """
    A login module and its options.

    Args:
        name: The class, without its package.
        options: What it is given: names and passwords.
    """

    name: str
    options: dict[str, str] = field(repr=False)


def read_jaas(text: str) -> LoginModule:
    """
    Read the login module of *text*, such as `….PlainLoginModule required username="u" …;`.

    Raises:
        JaasProblem: Kafka's `JaasConfig` would refuse the text too.
    """
    tokens = _tokens(text)
    if len(tokens) < 3 or tokens[1].lower() not in _FLAGS or tokens[-1] != ";":
        raise JaasProblem("expected `module required option=value …;`")
    pairs = tokens[2:-1]
    if len(pairs) % 3 or any(equals != "=" for equals in pairs[1::3]):
        raise JaasProblem("expected option=value after the module, and ; at the end")
    return LoginModule(
        name=tokens[0].rpartition(".")[2], options=dict(zip(pairs[::3], pairs[2::3], strict=True))
    )


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    at, text = 0, text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise JaasProblem("a quote is not closed")
        quoted = found[1] if found[1] is not None else found[2]
        tokens.append(
            re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else found[3] or found[4]
        )
        at = found.end()
    return tokens
