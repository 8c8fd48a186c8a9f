"""What a page is, and what those that make pages have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from kmirror.config.flows import FlowConfig
from kmirror.console.console import Console
from kmirror.console.side_by_side import side_by_side
from kmirror.errors import MirrorError, NotAllowed
from kmirror.server.endpoint import Call

Model = TypeVar("Model")
ROWS_MAX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """
    A page.

    Args:
        template: Its template.
        context: What is shown in it.
        every_s: How often its parts may be asked for anew, seconds; 0 for never.
        follows: The kind of news on the stream after which they are.
    """

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    every_s: float = 0.0
    follows: str = "flows"


Show = Callable[[Call, bool], Page]
"""Makes a page for a call, and whether that is for a part alone: then clusters may be asked."""
Asks = Callable[[Call, bool], bool]
"""Tells whether they are."""


def asks(call: Call, is_part: bool) -> bool:
    """
    Tell whether clusters are asked: for a part, or for what a form has named.

    Args:
        call: What is asked for.
        is_part: Whether that is for a part of the page alone.
    """
    return is_part or call.text("topic") is not None


def looks(call: Call, is_part: bool) -> bool:
    """
    Tell the same where news are asked for often, and clusters only once.

    Args:
        call: What is asked for.
        is_part: Whether that is for a part of the page alone.
    """
    return is_part and call.flag("look")


def tried(ask: Callable[[], Any], kinds: tuple[type[MirrorError], ...] = (MirrorError,)) -> Any:
    """
    Return an answer, or why there is none: the page says it where the answer would be.

    Args:
        ask: Finds it out.
        kinds: Of what is wrong; for anything else there is no page.

    Raises:
        NotAllowed: Who asks may not see it.
    """
    try:
        return ask()
    except NotAllowed:
        raise
    except kinds as error:
        return error


def flow_names(console: Console) -> list[str]:
    """Return the names of all flows, in the order of the file."""
    return [str(each.flow) for each in console.figures.configs()]


def parts(
    console: Console, call: Call, is_part: bool, ask: Callable[[FlowConfig], Model]
) -> tuple[list[str], dict[str, Model]]:
    """
    Return all flows, and the answers about those that a part is asked for.

    Args:
        console: Knows them.
        call: What is asked for.
        is_part: Whether that is for a part of the page alone.
        ask: Answers for a flow.
    """
    configs = {str(each.flow): each for each in console.figures.configs()}
    chosen = call.text("flow")
    asked = [name for name in configs if is_part and chosen in {None, name}]
    found = side_by_side(lambda name: ask(configs[name]), asked)
    return list(configs), dict(zip(asked, found, strict=True))
