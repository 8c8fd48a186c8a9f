"""All findings of a file, and the lines that settle them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kmirror.config.entry import Entries, Entry
from kmirror.config.load import MirrorLines
from kmirror.model import Flow
from kmirror.tune.case import build_case
from kmirror.tune.consumer_rules import CONSUMER_RULES
from kmirror.tune.finding import BOTH, KMIRROR_ONLY, Finding, Level, Program, Setting
from kmirror.tune.idle_lines import hidden_lines, idle_lines
from kmirror.tune.link import Measured
from kmirror.tune.link_rules import LINK_RULES
from kmirror.tune.mirror_rules import MIRROR_RULES
from kmirror.tune.producer_rules import PRODUCER_RULES

# A longer time-out needs a longer delivery, a larger batch a longer time-out: no chain is longer.
_ROUNDS_MAX = 6
_ORDER = tuple(Level)
_RULES = (*PRODUCER_RULES, *CONSUMER_RULES, *LINK_RULES, *MIRROR_RULES)
_TIMED = ("request.timeout.ms", "delivery.timeout.ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """
    The advice for a file.

    Args:
        findings: The worst first.
        settings: The lines to add, by name; applied together they leave nothing dangerous.
    """

    findings: tuple[Finding, ...]
    settings: tuple[Setting, ...]

    @property
    def dangerous(self) -> bool:
        """Whether records may come twice, out of order or not at all."""
        return any(finding.level is Level.DANGER for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """
    The file and links to give advice for.

    Args:
        lines: What the file says.
        measured: What is known of the flows' surroundings, by flow.
        programs: Who runs the file; findings that matter to none of these are left out.
    """

    lines: MirrorLines
    measured: Mapping[Flow, Measured]
    programs: frozenset[Program] = BOTH


def advise(question: Question) -> Advice:
    """Return advice for the flows whose links are given."""
    lines = question.lines
    findings = [
        *_of_flows(question, lines.entries),
        *idle_lines(lines),
        *_hidden(question),
    ]
    if question.programs == KMIRROR_ONLY:
        findings = [replace(each, scenario=None) for each in findings]
    return Advice(findings=tuple(sorted(findings, key=_rank)), settings=_settle(question))


def _of_flows(question: Question, entries: Entries) -> list[Finding]:
    found: list[Finding] = []
    for flow, measured in question.measured.items():
        case = build_case(entries, question.lines.flows, flow, measured)
        for rule in _RULES:
            found += (each for each in rule(case) if each.concerns & question.programs)
    return found


def _settle(question: Question) -> tuple[Setting, ...]:
    """Apply what is advised until nothing more is: one line may ask for another one."""
    entries, settled = dict(question.lines.entries), dict[str, Setting]()
    for _ in range(_ROUNDS_MAX):
        findings = sorted(_of_flows(question, entries), key=_rank)
        wanted = [
            replace(setting, because=finding.says)
            for finding in findings
            for setting in finding.instead
        ]
        news = [each for each in wanted if not _is_written(each, entries)]
        if not news:
            break
        # The worst finding comes first, and has the last word where two want the same line.
        for setting in reversed(news):
            settled[setting.key] = setting
            entries[setting.key] = Entry(
                key=setting.key, text=setting.value, where="the lines below"
            )
    return tuple(settled[key] for key in sorted(settled))


def _is_written(setting: Setting, entries: Entries) -> bool:
    entry = entries.get(setting.key)
    return entry is not None and entry.text.strip() == setting.value


def _rank(finding: Finding) -> int:
    return _ORDER.index(finding.level)


def _hidden(question: Question) -> list[Finding]:
    """Each line once: flows share their clusters'."""
    lines, found = question.lines, dict[str, Finding]()
    for flow, measured in question.measured.items():
        case = build_case(lines.entries, lines.flows, flow, measured)
        found |= {finding.lines[0].key: finding for finding in hidden_lines(case)}
    return list(found.values())
