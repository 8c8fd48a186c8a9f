"""What was written is read again by kmirror's own reader, which knows what it does with it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from kmirror.config.entry import Entry, Findings
from kmirror.config.keys.key import Key
from kmirror.config.keys.table import KEYS
from kmirror.config.load import MirrorConfig, examine_text
from kmirror.config.place import place_of
from kmirror.config.properties import read
from kmirror.config.survey import Survey
from kmirror.errors import Problem
from kmirror.importers.draft import DECIDES, TRANSFORMS, Draft
from kmirror.importers.outcome import Imported, Line
from kmirror.importers.properties_text import properties_text
from kmirror.importers.providers import settle_providers

# A line that goes may take others with it, and theirs: a provider, what refers to it, a flow.
_ROUNDS_MAX = 8
_NOTHING = "settle what is not supported, then write which topics to copy"
# Their keys are read, and nothing more: other settings do the same, or there is nothing to set.
_IDLE = "has no effect on kmirror: {}"


def settle(draft: Draft, path: Path, secrets: PurePosixPath) -> Imported:
    """
    Return a file that kmirror starts with, as far as the settings allow.

    A line that kmirror would refuse becomes a comment, and its setting one that is not supported.
    What kmirror would warn about is said of its setting.

    Args:
        draft: Everything that the other system's files say.
        path: What the file will be called, for messages.
        secrets: Where Secrets of Kubernetes are mounted.
    """
    settle_providers(draft, secrets)
    config, problems = _read(draft, path)
    for _ in range(_ROUNDS_MAX):
        dropped = _drop_refused(draft, problems)
        if not dropped:
            break
        settle_providers(draft, secrets)
        config, problems = _read(draft, path)
    _judge(draft, config)
    _hold(draft, config)
    _, problems = _read(draft, path)
    return Imported(
        aliases=draft.aliases,
        lines=draft.lines,
        outcomes=draft.outcomes,
        remarks=draft.remarks,
        problems=tuple(each for each in problems if not _is_elsewhere(each, draft)),
    )


def _hold(draft: Draft, config: MirrorConfig) -> None:
    """Let flows copy nothing that would copy otherwise than they did: other topics, or records."""
    flows = tuple(each.flow for each in config.flows)
    for line in draft.lines:
        place = place_of(line.key, draft.aliases)
        if line.refused and place.name.startswith(DECIDES) and place.cluster is None:
            for flow in flows if place.flow is None else (place.flow,):
                draft.hold(flow)
    for flow in draft.held:
        key = f"{flow}.topics"
        text = draft.text(key)
        was = f"; it was {text}" if text else ""
        draft.replace(key, "", f"{_NOTHING}{was}")
        draft.doubt(key, f"not yet: {_NOTHING}")
        draft.remark(f"{flow} copies no topics: {_NOTHING}")


def _read(draft: Draft, path: Path) -> tuple[MirrorConfig, tuple[Problem, ...]]:
    return examine_text(properties_text(draft.lines, draft.aliases), path, environ={})


def _drop_refused(draft: Draft, problems: tuple[Problem, ...]) -> bool:
    # A flow may also be one too many: with another it would copy round and round.
    lines = {
        line.key: line
        for line in draft.lines
        if (line.setting is not None or line.key.endswith(".enabled")) and not line.refused
    }
    # What is missing is told at the line that asks for it.
    written = read(properties_text(draft.lines, draft.aliases)) if problems else ()
    at, keys = {str(item.line): item.key for item in written}, {item.key for item in written}
    dropped = False
    for problem in problems:
        asks = at.get(problem.where.rpartition(":")[2], "")
        chain = _chain_of(problem.key if problem.key in keys else asks, draft)
        for key in chain or (problem.key,):
            line = lines.get(key)
            if line is not None and (chain or problem.value is not None) and not _refers(line):
                draft.drop(key, problem.expected)
                dropped = True
    return dropped


def _chain_of(name: str, draft: Draft) -> tuple[str, ...]:
    """Return all lines of a flow's transforms if *name* is one of them: they stand together."""
    place = place_of(name, draft.aliases)
    if not place.name.startswith(TRANSFORMS):
        return ()
    before = name.removesuffix(place.name)
    keys = (line.key for line in draft.lines if not line.refused)
    return tuple(
        key
        for key in keys
        if key.startswith(before) and key.removeprefix(before).startswith(TRANSFORMS)
    )


def _is_elsewhere(problem: Problem, draft: Draft) -> bool:
    """Whether the problem is a value that only another machine has."""
    return any(line.key == problem.key and _refers(line) for line in draft.lines)


def _refers(line: Line) -> bool:
    return "${" in line.text and not line.refused


def _judge(draft: Draft, config: MirrorConfig) -> None:
    inactive = set(config.inactive_keys)
    for line in draft.lines:
        key = _key_of(line, draft)
        if key is None or key.name not in inactive or line.refused:
            continue
        if line.text.strip() == key.default:
            draft.note(line.key, key.doc)
        else:
            draft.doubt(line.key, _IDLE.format(key.doc))
    notes = _notes(draft)
    for warning in config.warnings:
        if notes.get(warning.key) == warning.expected:
            draft.note(warning.key, warning.expected)
        else:
            draft.doubt(warning.key, warning.expected)


def _notes(draft: Draft) -> dict[str, str]:
    """Return what is odd about lines whoever reads them, as MirrorMaker 2 would."""
    findings = Findings("")
    entries = {
        line.key: Entry(key=line.key, text=line.text, where=line.key, secret=line.secret)
        for line in draft.lines
        if not line.refused
    }
    Survey(draft.aliases, findings).run(entries)
    return {problem.key: problem.expected for problem in findings.warnings}


def _key_of(line: Line, draft: Draft) -> Key | None:
    place = place_of(line.key, draft.aliases)
    name = place.name
    for prefix in ("source.cluster.", "target.cluster."):
        name = name if name in KEYS else name.removeprefix(prefix)
    return KEYS.get(name)
