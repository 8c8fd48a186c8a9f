"""The class of all command groups: Typer, with clearer help for flags and for an absent lab."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

Verb = TypeVar("Verb", bound=Callable[..., Any])
Parameter = TypeVar("Parameter")

# The verbs that the distribution kmirror-lab adds to the root.
LAB_VERBS = frozenset({"demo", "lab"})


class App(typer.Typer):
    """
    A group of commands.

    Args:
        default: The command that runs where the first word is none of the group's.
        options: Typer's.
    """

    def __init__(self, *, default: str = "", **options: Any) -> None:
        super().__init__(cls=type("_Group", (_Group,), {"default": default}), **options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[Verb], Verb]:
        """Return a decorator that adds a command; *options* are Typer's."""
        return super().command(name, cls=_Command, **options)


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_without_type(super().get_params(ctx))


class _Group(TyperGroup):
    default = ""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        is_ours = args and args[0] not in {*self.commands, "--help"}
        return super().parse_args(ctx, [self.default, *args] if self.default and is_ours else args)

    def get_params(self, ctx: Any) -> list[Any]:
        return _flags_without_type(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        verb = args[0]
        if ctx.parent is None and verb in LAB_VERBS and self.get_command(ctx, verb) is None:
            ctx.fail(
                f"'{verb}' is part of the laboratory, which is not installed: "
                "pip install 'kmirror[lab]'"
            )
        return super().resolve_command(ctx, args)


def _flags_without_type(parameters: Iterable[Parameter]) -> list[Parameter]:
    """Typer shows `<bool>` beside a flag, as if it wanted a value."""
    found = list(parameters)
    for parameter in found:
        if isinstance(parameter, TyperOption) and parameter.is_flag:
            parameter.metavar = ""
    return found
