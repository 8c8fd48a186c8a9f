"""Secrets in what is answered: hidden, and known again when they come back hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kmirror.config.keys.table import is_secret
from kmirror.config.secret import HIDDEN
from kmirror.errors import BadRequest

# Where a connection leads, and how it is protected: a secret that is kept goes there.
_LEADS = re.compile(
    r"bootstrap\.servers$|\.urls?$|security\.protocol$|identification\.algorithm$"
    r"|ssl\.truststore\.(?:location|type|certificates)$"
)
# What is shorter is in every other text by chance.
_SECRET_LENGTH_MIN = 4


def masked(name: str, text: str) -> str:
    """Return a setting's value as it may be shown."""
    return HIDDEN if is_secret(name, text) else text


def secrets_of(*configs: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the values that must not be shown."""
    found = {
        text
        for config in configs
        for name, text in config.items()
        if text is not None and text != HIDDEN and is_secret(name, text)
        if len(text) >= _SECRET_LENGTH_MIN
    }
    return tuple(found)


def is_hidden(name: str, text: str | None, old: Mapping[str, str]) -> bool:
    """
    Tell whether a value is what stands for a secret.

    Args:
        name, text: The setting.
        old: What the connector has: a login may stand under a name that does not say so.
    """
    return text == HIDDEN and is_secret(name, old.get(name, ""))


def restored(new: Mapping[str, str], old: Mapping[str, str]) -> dict[str, str]:
    """
    Put secrets that came back hidden in their places again.

    Args:
        new: What was sent.
        old: What the connector has.

    Raises:
        BadRequest: There is nothing to put, or it would go somewhere else than before.
    """
    hidden = [name for name, text in new.items() if is_hidden(name, text, old)]
    _refuse_unknown(hidden, old)
    _refuse_elsewhere(hidden, new, old)
    return {name: old[name] if name in hidden else text for name, text in new.items()}


def check_kept(changes: Mapping[str, str | None], old: Mapping[str, str]) -> None:
    """
    Make sure that a change of some settings sends no secret somewhere else.

    Args:
        changes: What was sent, `None` for what is to be removed.
        old: What the connector has.

    Raises:
        BadRequest: It would.
    """
    kept = [
        name
        for name in old
        if is_secret(name, old[name])
        and (name not in changes or is_hidden(name, changes[name], old))
    ]
    _refuse_unknown((name for name, text in changes.items() if is_hidden(name, text, old)), old)
    merged = {name: text for name, text in (dict(old) | dict(changes)).items() if text is not None}
    _refuse_elsewhere(kept, merged, old)


def _refuse_unknown(hidden: Iterable[str], old: Mapping[str, str]) -> None:
    for name in hidden:
        if name not in old:
            raise BadRequest(f"{name}: {HIDDEN} stands for an earlier value, and there is none")


def _refuse_elsewhere(kept: Iterable[str], new: Mapping[str, str], old: Mapping[str, str]) -> None:
    kept = list(kept)
    if not kept:
        return
    moved = [
        name for name in {**old, **new} if _LEADS.search(name) and new.get(name) != old.get(name)
    ]
    if moved:
        raise BadRequest(
            f"{', '.join(sorted(moved))} may not change while {', '.join(sorted(kept))} is kept: "
            "send the secrets again"
        )
