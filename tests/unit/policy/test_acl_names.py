"""Regexes as what ACLs can name."""

from __future__ import annotations

import pytest

from kmirror.policy.acl_names import ANY_NAME, AclName, acl_names, without_covered


def prefix(text: str, *, is_wider: bool = False) -> AclName:
    """Give a prefix."""
    return AclName(text, is_prefix=True, is_wider=is_wider)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (["orders", "payments"], [AclName("orders"), AclName("payments")]),
        ([".*"], [ANY_NAME]),
        (["orders.*"], [prefix("orders")]),
        ([r"orders\..*", "orders.eu"], [prefix("orders.")]),
        (["my.app.*"], [prefix("my.app")]),
        (["^orders$"], [AclName("orders")]),
        (["(a", "b)"], [AclName("a"), AclName("b")]),
        (["app-(x|y)[.]z"], [prefix("app-x", is_wider=True), prefix("app-y", is_wider=True)]),
        (["(?:eu|us)-.*"], [prefix("eu-"), prefix("us-")]),
        (["((a|b)|c).*"], [prefix("a"), prefix("b"), prefix("c")]),
        (["ab*c"], [prefix("a", is_wider=True)]),
        (["(ab)*"], [AclName("*", is_wider=True)]),
        (["(?i)orders"], [AclName("*", is_wider=True)]),
        (["[ab|]c"], [AclName("*", is_wider=True)]),
        ([r"\Qa|b\E"], [AclName("*", is_wider=True)]),
        (["a|"], [AclName("a")]),
        ([], []),
    ],
)
def test_what_regexes_become(items: list[str], expected: list[AclName]) -> None:
    """Names stay names, endings become prefixes, and what no ACL can say is marked."""
    found = acl_names(items)
    assert list(found) == expected
    assert [each.is_wider for each in found] == [each.is_wider for each in expected]


def test_what_is_covered_goes() -> None:
    """One that allows all that another one does is enough."""
    names = [AclName("ab"), prefix("abc"), prefix("a"), AclName("b")]
    assert without_covered(names) == (prefix("a"), AclName("b"))
    assert without_covered([*names, ANY_NAME]) == (ANY_NAME,)
    # A topic that is called as a prefix is: the name does not cover the prefix.
    assert without_covered([AclName("a"), prefix("a")]) == (prefix("a"),)
