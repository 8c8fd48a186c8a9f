"""What the API says of the properties file: settings, findings, and what a reload would change."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class LineView:
    """
    A line of the file.

    Args:
        where: `file:line`, or `connector NAME` for a setting of a connector.
        key: As written.
        value: As written; `[hidden]` for a secret one.
    """

    where: str
    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingView:
    """
    A setting as it is in effect.

    Args:
        name: As Kafka calls it, without any prefix.
        section: What it is about, or the client that has it.
        value: In effect; `[hidden]` for a secret one.
        set_by: Who has the last word: `flow`, `cluster` or `top level` for a line of the file that
            stands there, `connector` or `worker` for one of a connector, or of a worker's file,
            `kmirror` for what kmirror gives its clients, `default` otherwise.
        line: The line that says so; null where none does.
        lost: Lines about the same that do not count.
        default: What counts where no line says anything; empty when there is none, or not known.
        type: Of the value; empty for a name that only the file knows.
        doc: What it does; empty for a setting of Kafka's own clients.
        why: Why kmirror decides it, or another value than Kafka's; empty where it does not.
        is_active: Whether it does anything yet.
    """

    name: str
    section: str
    value: str
    set_by: str
    line: LineView | None
    lost: tuple[LineView, ...]
    default: str
    type: str
    doc: str
    why: str
    is_active: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFinding:
    """
    A line that is wrong, or in doubt.

    Args:
        where: `file:line`, or the file for a line that is missing, or `connector NAME`.
        key: As written.
        value: As written, `[hidden]` for a secret one; null for a line that is missing.
        is_wrong: Whether the file cannot be used because of it.
        words: What was expected, and what to do.
    """

    where: str
    key: str
    value: str | None
    is_wrong: bool
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileView:
    """
    The properties file as it is in effect.

    Args:
        file: Its name.
        flows: Its flows, `S->T`.
        findings: Lines that are in doubt: they have no effect, or another one than they seem to.
        inactive: Names that are accepted, and do nothing yet.
        settings: Of the process, whatever its flows.
    """

    file: str
    flows: tuple[str, ...]
    findings: tuple[FileFinding, ...]
    inactive: tuple[str, ...]
    settings: tuple[SettingView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowSettings:
    """
    The settings of a flow, those of its clients included.

    Args:
        flow: `S->T`.
        settings: They, by section.
    """

    flow: str
    settings: tuple[SettingView, ...]


class FileState(StrEnum):
    """What a reload of the file as it is now would come to."""

    SAME = "same"
    CHANGED = "changed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDifference:
    """
    A setting that a reload would change.

    Args:
        name: Of the setting, as the file writes it; of a client, with the alias of its cluster.
        before, after: The values, as written there; a secret one is hidden.
        at_once: Whether a running flow takes it over while it copies.
    """

    name: str
    before: str
    after: str
    at_once: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowDifference:
    """
    What a reload would do to a flow.

    Args:
        flow: `S->T`.
        kind: `added`, `removed`, `changed while it copies` or `started again`.
        fields: What differs; empty for a flow that comes or goes.
    """

    flow: str
    kind: str
    fields: tuple[FieldDifference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """
    What differs between the file on disk and what is in effect.

    Args:
        as_of_ms: When the file was read, milliseconds since the epoch.
        compared_with: What it was compared with.
        state: What a reload would come to, as far as the file says; a driver asks Spark and the
            clients, too: a reload with `dry_run` does that.
        flows: Flows that would come, go or change; the others would not be touched.
        heartbeats: Clusters whose heartbeats would be written in another way.
        refused: What needs a restart of the driver: as long as there is any, nothing is changed.
        findings: Lines of the file on disk that are wrong, or in doubt.
    """

    as_of_ms: int
    compared_with: str
    state: FileState
    flows: tuple[FlowDifference, ...]
    heartbeats: tuple[str, ...]
    refused: tuple[str, ...]
    findings: tuple[FileFinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceView:
    """
    Advice about lines of the file.

    Args:
        level: `danger`, `warning`, `advice` or `note`.
        lines: Those that it is about; `where` is empty for a default.
        says: What is the matter.
        why: The reason; empty where there is no more to say.
        kmirror: What kmirror does about it; empty where it does nothing.
        instead: Lines to write.
    """

    level: str
    lines: tuple[LineView, ...]
    says: str
    why: str
    kmirror: str
    instead: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceList:
    """
    Advice for a flow, as `kmirror tune` gives it without measuring links.

    Args:
        flow: `S->T`.
        as_of_ms: When the lines were read, milliseconds since the epoch.
        advice: The worst first; without what is a finding of the file already.
    """

    flow: str
    as_of_ms: int
    advice: tuple[AdviceView, ...]
