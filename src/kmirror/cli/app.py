"""The class of all command groups: Typer, with a help text that names no type for a flag."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

Verb = TypeVar("Verb", bound=Callable[..., Any])
Parameter = TypeVar("Parameter")


class App(typer.Typer):
    """
    A group of commands.

    Args:
        options: Typer's.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(cls=_Group, **options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[Verb], Verb]:
        """Give a decorator that adds a command; *options* are Typer's."""
        return super().command(name, cls=_Command, **options)


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_without_type(super().get_params(ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_without_type(super().get_params(ctx))


def _flags_without_type(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Typer shows `<bool>` beside a flag, as if it wanted a value."""
    found = list(parameters)
    for parameter in found:
        if isinstance(parameter, TyperOption) and parameter.is_flag:
            parameter.metavar = ""
    return found
