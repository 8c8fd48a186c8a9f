"""What `kmirror tune` says of a flow's lines, without measuring anything."""

from __future__ import annotations

from collections.abc import Collection

from kmirror.api.config import AdviceList, AdviceView, LineView
from kmirror.clock import Clock
from kmirror.config.load import MirrorLines
from kmirror.console.config_file import place_words
from kmirror.model import Flow
from kmirror.tune.advise import Question, advise
from kmirror.tune.finding import KMIRROR_ONLY, Finding
from kmirror.tune.link import Measured


def advice_for(flow: Flow, lines: MirrorLines, told: Collection[str], clock: Clock) -> AdviceList:
    """
    Return advice for a flow, the worst first.

    Args:
        flow: It.
        lines: Those that it comes from.
        told: Places of lines that somebody has been told of already.
        clock: Where time comes from.
    """
    question = Question(lines=lines, measured={flow: Measured()}, programs=KMIRROR_ONLY)
    found = (each for each in advise(question).findings if each.flow in {"", str(flow)})
    views = map(_view, found)
    return AdviceList(
        flow=str(flow),
        as_of_ms=clock.wall_ms(),
        advice=tuple(each for each in views if not any(line.where in told for line in each.lines)),
    )


def _view(finding: Finding) -> AdviceView:
    return AdviceView(
        level=finding.level.value,
        lines=tuple(
            LineView(where=place_words(each.where or ""), key=each.key, value=each.value)
            for each in finding.lines
        ),
        says=finding.says,
        why=finding.why,
        kmirror=finding.kmirror,
        instead=tuple(f"{each.key} = {each.value}" for each in finding.instead),
    )
