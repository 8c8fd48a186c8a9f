"""What a soak asks about settings is answered by a change that it makes itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import cast

import pytest
from kmirror_lab.cluster.cluster import Cluster

from tests.soak import changed_setting
from tests.soak.changed_setting import SIZES, check_changed_setting
from tests.soak.stage import PLAIN, Stage

_COPIES = ("A.plain", "RA.plain")
Settings = dict[str, dict[str, str]]


def wait_once(condition: Callable[[], bool], what: str, _timeout_s: float) -> None:
    """Wait as a driver does, but not for long."""
    assert condition(), what


def stage(monkeypatch: pytest.MonkeyPatch, there: Settings, *, follow: tuple[str, ...]) -> Stage:
    """Give a stage with these settings of topics, of which some copies follow the source."""

    def change(_: Cluster, topic: str, settings: Mapping[str, str]) -> None:
        for name in (topic, *follow):
            there[name] = {**there.get(name, {}), **settings}

    monkeypatch.setattr(changed_setting, "change_settings", change)
    monkeypatch.setattr(changed_setting, "own_settings", lambda _, topic: there.get(topic, {}))
    copies = [SimpleNamespace(topics={PLAIN: name}) for name in _COPIES]
    made = SimpleNamespace(
        source=None,
        target=None,
        flow=SimpleNamespace(copies=copies),
        driver=SimpleNamespace(wait_until=wait_once),
    )
    return cast("Stage", made)


@pytest.mark.parametrize("follow", [(), _COPIES[:1]], ids=["none", "one"])
@pytest.mark.parametrize("before", [None, SIZES[0], SIZES[-1]])
def test_copies_that_stay_as_they_were_are_found(
    monkeypatch: pytest.MonkeyPatch, before: int | None, follow: tuple[str, ...]
) -> None:
    """Also where no fault has changed anything, or all have the last fault's change."""
    old = {} if before is None else {"max.message.bytes": str(before)}
    there = {name: dict(old) for name in (PLAIN, *_COPIES)}
    with pytest.raises(AssertionError, match="copies of plain: max"):
        check_changed_setting(stage(monkeypatch, there, follow=follow))
    assert there[PLAIN] != old


def test_copies_that_follow_are_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """All of them have the new value."""
    there: Settings = {}
    check_changed_setting(stage(monkeypatch, there, follow=_COPIES))
    assert there[_COPIES[0]] == there[_COPIES[1]] == there[PLAIN]
