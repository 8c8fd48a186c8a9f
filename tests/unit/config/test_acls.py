"""What the file says about ACLs."""

from __future__ import annotations

import pytest

from kmirror.config.acls import AclsConfig
from kmirror.config.load import MirrorConfig
from kmirror.errors import ConfigError
from kmirror.model import Flow
from tests.support.mirror_files import Load

PAIRS = "kmirror.acls.principals = User:alice: User:alice-dr, Group:a :  User:b"


def acls(config: MirrorConfig) -> AclsConfig:
    """Give the settings of a flow."""
    return config.flow(Flow("A", "B")).acls


def test_nobody_has_asked(load_text: Load) -> None:
    assert acls(load_text("A->B.enabled = true")) == AclsConfig(interval_s=600.0)


@pytest.mark.parametrize(
    "line", ["sync.topic.acls.enabled = true", "A->B.sync.topic.acls.enabled = true"]
)
def test_somebody_has(load_text: Load, line: str) -> None:
    assert acls(load_text(f"A->B.enabled = true\n{line}")).is_asked


def test_exact(load_text: Load) -> None:
    lines = f"A->B.enabled = true\nA->B.kmirror.acls = exact\n{PAIRS}\nkmirror.acls.write = true"
    assert acls(load_text(lines)) == AclsConfig(
        interval_s=10.0,
        is_asked=True,
        is_exact=True,
        principals=(("User:alice", "User:alice-dr"), ("Group:a", "User:b")),
        allows_write=True,
    )
    off = load_text(f"{lines}\nsync.topic.acls.enabled = false")
    assert acls(off) == AclsConfig(interval_s=None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User:a:User:b", "with a blank"),
        ("alice: User:b", "with a blank"),
        ("User:a", "with a blank"),
        ("User:a: User:b, User:a: User:c", "expected User:a once"),
    ],
)
def test_principals_that_are_none(load_text: Load, text: str, expected: str) -> None:
    with pytest.raises(ConfigError, match=expected):
        load_text(f"A->B.enabled = true\nkmirror.acls.principals = {text}")


def test_a_change_is_told_in_words(load_text: Load) -> None:
    """As a reload shows it."""
    assert str(acls(load_text("A->B.enabled = true"))) == "mm2, every 600 s"
    lines = f"A->B.enabled = true\nkmirror.acls = exact\n{PAIRS}\nkmirror.acls.write = true"
    assert str(acls(load_text(lines))) == (
        "exact, every 10 s, User:alice is User:alice-dr, Group:a is User:b, with Write"
    )
    assert str(acls(load_text("A->B.enabled = true\nsync.topic.acls.enabled = false"))) == "never"
