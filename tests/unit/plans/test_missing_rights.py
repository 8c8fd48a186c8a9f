"""What a cluster grants, against what is needed."""

from __future__ import annotations

from kmirror.plans.access import Operation, Row
from kmirror.plans.access_table import HEARTBEAT_ROW, ROWS
from kmirror.plans.grants import Need
from kmirror.plans.missing_rights import HIDDEN, MissingRights, Rights, missing_rights, place_of
from kmirror.policy.acl_names import AclName

EVERYTHING = frozenset(Operation)


def compared(row: Row, rights: Rights) -> MissingRights:
    """Compare one need with what is said of its resource."""
    need = Need(cluster="B", principal="User:m", row=row, name=AclName("x"))
    return missing_rights([need], {place_of(need): rights})


def operations(found: MissingRights) -> tuple[str, str]:
    """Give what is missing and what is untold."""
    missing, untold = (
        " ".join(each.value for grant in part for each in grant.operations)
        for part in (found.missing, found.untold)
    )
    return missing, untold


def there(*allowed: Operation) -> Rights:
    """Give the rights on something that is there."""
    granted = frozenset(allowed)
    return Rights(exists=True, allowed=granted, denied=EVERYTHING - granted)


def test_what_is_there_need_not_be_created() -> None:
    """Write is missed, Create is not."""
    assert operations(compared(HEARTBEAT_ROW, there(Operation.READ))) == ("Write", "")
    assert operations(compared(HEARTBEAT_ROW, there(Operation.WRITE))) == ("", "")


def test_what_is_not_there_may_be_unknown() -> None:
    """Whether it may be created is known, whether it may be written then is not."""
    absent = Rights(exists=False, allowed=frozenset({Operation.CREATE, Operation.DESCRIBE}))
    assert operations(compared(HEARTBEAT_ROW, absent)) == ("", "Write")


def test_what_is_hidden_has_no_rights() -> None:
    """Each of them would make it visible; Create would not."""
    assert operations(compared(HEARTBEAT_ROW, HIDDEN)) == ("Write", "Create")


def test_nobody_tells_of_transactional_ids() -> None:
    """What was not asked is untold, not missing."""
    (row, *_) = (row for row in ROWS if row.resource.value == "transactional-id")
    need = Need(cluster="B", principal="User:m", row=row, name=AclName("kmirror-A-B-"))
    assert operations(missing_rights([need], {})) == ("", "Write")
