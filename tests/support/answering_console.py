"""A console whose clusters seem to answer everything, with words of a test's own if it likes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import partial, wraps
from pathlib import Path
from typing import Any

import pytest

from kmirror.api.moves import LeftGroup, MoveRequest, MoveState, MoveStepView, MoveVerb, MoveView
from kmirror.audit.standing import FlowStanding
from kmirror.config.flows import FlowConfig
from kmirror.console.clusters import Clusters
from kmirror.console.config_file import ConfigFile
from kmirror.console.console import Console
from kmirror.console.event_log import EventLog
from kmirror.console.left_out import LeftOut
from kmirror.console.live import LiveFigures
from kmirror.console.moves import MoveList, Moves
from kmirror.console.questions import Questions
from kmirror.console.topic_questions import TopicQuestions
from kmirror.model import TopicPartition
from kmirror.wire.audit_windows import AuditVerdict
from tests.support import cluster_answers, console_answers
from tests.support.console_server import FILE, serving_console
from tests.support.rest_server import RestClient
from tests.support.synthetic_audit import audited

_ON = "A->B.kmirror.audit.enabled = true\nA->B.kmirror.canary.enabled = true\n"
# Not in effect: a reload would change the one at once, and start the other again.
_CHANGED = "A->B.kmirror.slo.lag.seconds = 77\nB->A.topics = others-.*\n"

Change = Callable[[Any], Any]
"""Makes another answer of an answer."""

# What comes from clusters, files and people. The rest are words of kmirror's own: states, verdicts,
# units, and the names of flows, which are in addresses.
_FREE = frozenset(
    {
        *("topic", "copy", "target", "other_topic", "group", "groups", "active", "owner", "driver"),
        *(
            "words",
            "verdict_words",
            "reason",
            "note",
            "notes",
            "text",
            "error",
            "by",
            "replayed_by",
        ),
        *("problem", "hint", "trouble", "why", "why_not", "why_unknown", "do", "commands", "doing"),
        *("address", "rack", "doubt", "purpose", "cluster_id", "bootstrap_servers", "without"),
        *("sentences", "not_whole", "where", "key", "value", "doc", "default", "before", "after"),
        *("protocol_version", "cleanup_policy", "kind", "inactive"),
    }
)
# Whoever writes a record names its headers.
_NAMED_BY_OTHERS = frozenset({"HeaderView"})
_STATES = frozenset({"ExplanationView", "LogView", "MovePlanView", "MoveView", "FlowDifference"})


def with_words(words: str, found: Any) -> Any:
    """
    Replace every text of an answer that is not kmirror's own.

    Args:
        words: By this.
        found: The answer.
    """
    if isinstance(found, tuple):
        return tuple(with_words(words, each) for each in found)
    if not is_dataclass(found) or isinstance(found, type):
        return found
    news = {}
    for each in fields(found):
        value = getattr(found, each.name)
        is_free = _is_free(type(found).__name__, each.name)
        if is_free and isinstance(value, str) and value and not isinstance(value, Enum):
            news[each.name] = words
        elif is_free and isinstance(value, tuple) and value and isinstance(value[0], str):
            news[each.name] = (words,) * len(value)
        else:
            news[each.name] = with_words(words, value)
    return replace(found, **news)


def _is_free(kind: str, field: str) -> bool:
    if field == "name":
        return kind in _NAMED_BY_OTHERS
    return field in _FREE and not (field == "kind" and kind in _STATES)


@contextmanager
def answering_console(folder: Path, words: str | None = None) -> Iterator[RestClient]:
    """
    Serve a console of two flows, to an admin, and give a client.

    Args:
        folder: For the file, which has changed since it was read.
        words: Stand wherever clusters, files and people could have put words; `None` for sensible
            ones.
    """
    change: Change = (lambda found: found) if words is None else partial(with_words, words)
    with pytest.MonkeyPatch.context() as patch:
        answers: dict[tuple[type, str], Callable[..., Any]] = {
            (Questions, "groups"): lambda *_: cluster_answers.groups(),
            (Questions, "group"): lambda _self, _flow, name: cluster_answers.group(name),
            (Questions, "plan"): lambda *_: cluster_answers.plan(),
            (Questions, "translate"): lambda *_, **__: cluster_answers.translation(),
            (TopicQuestions, "explain"): lambda *_: console_answers.explanation(),
            (TopicQuestions, "records"): lambda *_: console_answers.records(),
            (LeftOut, "gaps"): lambda *_, **__: console_answers.left_out(),
            (LeftOut, "letter"): lambda *_: console_answers.letter(),
            (Moves, "plan"): lambda _self, _flow, asked: _move_plan(asked),
            (Moves, "moves"): lambda _self: _moves(),
            (Clusters, "clusters"): lambda _self: cluster_answers.clusters(),
            (LiveFigures, "flows"): _with_curves(LiveFigures.flows),
        }
        if words is not None:
            told: list[tuple[type, str]] = [
                *((LiveFigures, each) for each in ("topics", "partitions")),
                *((ConfigFile, each) for each in ("file", "flow", "changes")),
                *((Console, "canaries"), (EventLog, "events")),
            ]
            for place, name in told:
                answers[place, name] = getattr(place, name)
        for (place, name), answer in answers.items():
            patch.setattr(place, name, _changed(answer, change))
        topic = "topic-0000" if words is None else words
        stand = partial(_stand, topic, words or "the value differs")
        with serving_console(folder, stand=stand, file=FILE + _ON) as client:
            with (folder / "mm2.properties").open("a", encoding="utf-8") as lines:
                lines.write(_CHANGED)
            yield client


def _changed(answer: Callable[..., Any], change: Change) -> Callable[..., Any]:
    @wraps(answer)
    def changed(*given: Any, **named: Any) -> Any:
        return change(answer(*given, **named))

    return changed


def _with_curves(flows: Callable[..., Any]) -> Callable[..., Any]:
    def looked_at_before(figures: LiveFigures) -> Any:
        samples = cluster_answers.samples()
        return tuple(replace(each, samples=samples) for each in flows(figures))

    return looked_at_before


def _stand(topic: str, words: str, config: FlowConfig) -> FlowStanding:
    now_ms = time.time_ns() // 1_000_000
    verdicts: dict[TopicPartition, Sequence[AuditVerdict]] = {
        TopicPartition(topic, 0): tuple(AuditVerdict),
        TopicPartition(topic, 1): (AuditVerdict.IDENTICAL,) * 3,
        TopicPartition(topic, 2): (),
    }
    return audited(config.flow, verdicts, now_ms=now_ms, words=words)


def _move_plan(asked: MoveRequest) -> Any:
    left = (LeftGroup(group="cache.1", why="it has members on both clusters"),)
    return replace(console_answers.move_plan(asked), left=left, is_held=True)


def _moves() -> MoveList:
    now_ms = time.time_ns() // 1_000_000
    plan = console_answers.move_plan(
        MoveRequest(reason="x", flow=cluster_answers.FLOW, kind=MoveVerb.FAILOVER)
    )
    steps = tuple(
        MoveStepView(name=name, words=f"{name}: seen", took_s=0.4, at_ms=now_ms)
        for name in ("look", "wait", "hold")
    )
    return MoveList(
        moves=tuple(
            MoveView(
                number=3 - at,
                flow=cluster_answers.FLOW,
                kind=MoveVerb.FAILOVER,
                drill=state is MoveState.DONE,
                state=state,
                by="ann@10.0.0.7",
                reason="the rack burns",
                here="A",
                there="B",
                began_ms=now_ms - 60_000,
                ended_ms=None if state is MoveState.RUNNING else now_ms,
                doing="groups" if state is MoveState.RUNNING else "",
                steps=steps,
                problem="cluster A: no answer" if state is MoveState.FAILED else "",
                hint="order it again" if state is MoveState.FAILED else "",
                loss=plan.loss if state is MoveState.DONE else None,
                took_s=3.1 if state is MoveState.DONE else None,
                groups=("billing",) if state is MoveState.DONE else (),
                left=(LeftGroup(group="cache.1", why="it has members on both clusters"),),
            )
            for at, state in enumerate((MoveState.RUNNING, MoveState.FAILED, MoveState.DONE))
        )
    )
