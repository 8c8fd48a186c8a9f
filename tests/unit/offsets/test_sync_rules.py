"""When an offset sync is written: MirrorMaker 2's own cases."""

from __future__ import annotations

from kmirror.offsets.sync_rules import SyncRules
from kmirror.wire.offset_runs import Run


def test_mirror_maker_2s_vectors() -> None:
    """`OffsetSyncWriterTest`: first, gap in the source, lag, rewind, target made anew."""
    rules = SyncRules(50)
    steps = [
        *((0, 100, True), (2, 102, True), (3, 152, False), (4, 153, True), (5, 154, False)),
        *((6, 203, False), (7, 204, True), (2, 206, True), (3, 207, False), (4, 3, True)),
        (5, 4, False),
    ]
    for source, target, wanted in steps:
        assert rules.wants(source, target) is wanted, (source, target)


def test_no_lag_means_every_record() -> None:
    """`offset.lag.max = 0`."""
    rules = SyncRules(0)
    assert all(rules.wants(at, at) for at in range(5))


def test_a_run_is_looked_at_at_both_ends() -> None:
    """What one transaction copied takes two syncs at most."""
    rules = SyncRules(100)
    assert rules.wants_of(Run(0, 0, 1000)) == ((0, 0), (999, 999))
    assert rules.wants_of(Run(1000, 1001, 50)) == ()
    assert rules.wants_of(Run(1050, 1052, 50)) == ((1099, 1101),)
    assert rules.wants_of(Run(1200, 1103, 1)) == ((1200, 1103),)
    assert rules.wants_of(Run(1201, 1104, 1)) == ()
