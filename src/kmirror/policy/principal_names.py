"""
Names for the subjects of client certificates: `ssl.principal.mapping.rules` of Kafka's brokers.

Sources: `org.apache.kafka.common.security.ssl.SslPrincipalMapper`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import re2

_RULE = re.compile(
    r"(?:DEFAULT|RULE:((?:\\.|[^\\/])*)/((?:\\.|[^\\/])*)/([LU]?))\s*(?:,\s*|$)", re.DOTALL
)
_GROUP = re.compile(r"\$([0-9])")


class PrincipalRuleProblem(ValueError):
    """A rule that Kafka would refuse; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """`None` as pattern: the subject as it is."""

    pattern: str | None = None
    replacement: str = ""
    case: str = ""

    def name(self, subject: str) -> str | None:
        if self.pattern is None:
            return subject
        found = re2.fullmatch(self.pattern, subject)
        if found is None:
            return None
        name = _GROUP.sub(lambda group: found.group(int(group[1])) or "", self.replacement)
        return {"L": name.lower(), "U": name.upper()}.get(self.case, name)


@dataclass(frozen=True, slots=True)
class PrincipalRules:
    """
    Rules in their order.

    Args:
        rules: They; none means that a subject is the name.
    """

    rules: tuple[_Rule, ...] = (_Rule(),)

    def name(self, subject: str) -> str | None:
        """
        Return the name of a certificate's owner; `None` if no rule fits.

        Args:
            subject: As `CN=alice,OU=ops,O=Example`.
        """
        names = (rule.name(subject) for rule in self.rules)
        return next((name for name in names if name is not None), None)


def read_principal_rules(text: str) -> PrincipalRules:
    """
    Read rules: `RULE:PATTERN/REPLACEMENT/[LU]` or `DEFAULT`, separated by commas.

    Raises:
        PrincipalRuleProblem: They are none.
    """
    rules: list[_Rule] = []
    at, text = 0, text.strip()
    while at < len(text):
        found = _RULE.match(text, at)
        if found is None or found.end() == at:
            raise PrincipalRuleProblem("expected DEFAULT or RULE:PATTERN/REPLACEMENT/[LU]")
        rules.append(_Rule() if found[1] is None else _read_rule(found))
        at = found.end()
    return PrincipalRules(tuple(rules)) if rules else PrincipalRules()


def _read_rule(found: re.Match[str]) -> _Rule:
    try:
        groups = re2.compile(found[1]).groups
    except re2.error as error:
        raise PrincipalRuleProblem("expected a regex that runs in linear time") from error
    asked = [int(number) for number in _GROUP.findall(found[2])]
    if any(number > groups for number in asked):
        raise PrincipalRuleProblem(f"the pattern has {groups} groups, fewer than are asked for")
    return _Rule(pattern=found[1], replacement=found[2].replace("\\/", "/"), case=found[3])
