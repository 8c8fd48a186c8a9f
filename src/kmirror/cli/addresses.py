"""Addresses as options give them."""

from __future__ import annotations

import typer

from kmirror.config.keys.key import ValueProblem
from kmirror.config.metrics import listener_at
from kmirror.config.server import Listener


def listener(option: str, address: str) -> Listener:
    """
    Return where to listen, as an option says.

    Raises:
        typer.BadParameter: That is no address.
    """
    try:
        return listener_at(address)
    except ValueProblem as problem:
        raise typer.BadParameter(f"{address}: {problem}", param_hint=option) from problem
