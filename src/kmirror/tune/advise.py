"""All findings of a file, and the lines that settle them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kmirror.config.entry import Entries, Entry
from kmirror.config.load import MirrorLines
from kmirror.model import Flow
from kmirror.tune.case import build_case
from kmirror.tune.consumer_rules import CONSUMER_RULES
from kmirror.tune.finding import BOTH, KMIRROR_ONLY, Finding, Level, Program, Setting
from kmirror.tune.idle_lines import hidden_lines, idle_lines
from kmirror.tune.kernel import KernelAdvice, KernelSettings, advise_kernel
from kmirror.tune.link import Measured
from kmirror.tune.link_rules import LINK_RULES, USUAL_KERNEL_RULES, system_buffers
from kmirror.tune.live_figures import LiveFigures
from kmirror.tune.live_rules import LIVE_RULES
from kmirror.tune.memory_rules import MEMORY_RULES
from kmirror.tune.mirror_rules import MIRROR_RULES
from kmirror.tune.mm1_case import MM1_FLOW, Mm1Files, build_mm1_case
from kmirror.tune.mm1_rules import MM1_RULES
from kmirror.tune.producer_rules import PRODUCER_RULES

# A longer time-out needs a longer delivery, a larger batch a longer time-out: no chain is longer.
_ROUNDS_MAX = 6
_ORDER = tuple(Level)
_RULES = (*PRODUCER_RULES, *MEMORY_RULES, *CONSUMER_RULES, *LINK_RULES, *MIRROR_RULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """
    The advice for a file.

    Args:
        findings: The worst first.
        settings: The lines to add, by name; applied together they leave nothing dangerous.
        kernel: Each setting of the machine's kernel, where they are known.
    """

    findings: tuple[Finding, ...]
    settings: tuple[Setting, ...]
    kernel: tuple[KernelAdvice, ...] = ()

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
        kernel: What the kernel of the mirror's machine says; None when unknown.
        figures: What the running mirror has measured, by flow.
    """

    lines: MirrorLines
    measured: Mapping[Flow, Measured]
    programs: frozenset[Program] = BOTH
    kernel: KernelSettings | None = None
    figures: Mapping[Flow, LiveFigures] = field(default_factory=dict)


def advise(question: Question) -> Advice:
    """Return advice for the flows whose links are given."""
    lines = question.lines
    findings = [
        *_of_flows(question, lines.entries),
        *_of_figures(question),
        *idle_lines(lines),
        *_hidden(question),
    ]
    if question.programs == KMIRROR_ONLY:
        findings = [replace(each, scenario=None) for each in findings]
    kernel = () if question.kernel is None else advise_kernel(question.kernel, question.measured)
    return Advice(
        findings=tuple(sorted(findings, key=_rank)), settings=_settle(question), kernel=kernel
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mm1Question:
    """
    MirrorMaker 1's files and links to give advice for.

    Args:
        files: What it is started with.
        measured: What is known of its surroundings.
        kernel: What the kernel of its machine says; None when unknown.
    """

    files: Mm1Files
    measured: Measured
    kernel: KernelSettings | None = None


def advise_mm1(question: Mm1Question) -> Advice:
    """Return advice for MirrorMaker 1."""
    case = build_mm1_case(question.files, question.measured)
    found = [replace(each, flow="") for rule in MM1_RULES for each in rule(case)]
    if question.kernel is None:
        found += [replace(each, flow="") for each in system_buffers(case)]
    findings = sorted(found, key=_rank)
    settled: dict[str, Setting] = {}
    for finding in findings:
        for setting in finding.instead:
            settled.setdefault(setting.key, replace(setting, because=finding.says))
    kernel = (
        ()
        if question.kernel is None
        else advise_kernel(question.kernel, {MM1_FLOW: question.measured})
    )
    return Advice(
        findings=tuple(findings),
        settings=tuple(settled[key] for key in sorted(settled)),
        kernel=kernel,
    )


def _of_flows(question: Question, entries: Entries) -> list[Finding]:
    found: list[Finding] = []
    for flow, measured in question.measured.items():
        case = build_case(entries, question.lines.flows, flow, measured)
        for rule in _RULES if question.kernel is not None else (*_RULES, *USUAL_KERNEL_RULES):
            found += (each for each in rule(case) if each.concerns & question.programs)
    return found


def _of_figures(question: Question) -> list[Finding]:
    """Judge what was measured with the file as it is, and not as it will be."""
    lines, found = question.lines, list[Finding]()
    for flow, figures in question.figures.items():
        case = build_case(lines.entries, lines.flows, flow, question.measured[flow])
        for rule in LIVE_RULES:
            found += rule(case, figures)
    return found


def _settle(question: Question) -> tuple[Setting, ...]:
    """Apply what is advised until nothing more is: one line may ask for another one."""
    entries, settled = dict(question.lines.entries), dict[str, Setting]()
    live = _of_figures(question)
    for _ in range(_ROUNDS_MAX):
        findings = sorted([*_of_flows(question, entries), *live], key=_rank)
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
