"""Audits as a page for others."""

from __future__ import annotations

from collections.abc import Sequence

import kmirror
from kmirror.audit.plots import plots
from kmirror.audit.standing import FlowStanding, PartitionStanding, plain, summary
from kmirror.pages.page import Data, Notes, Page, Part, Table
from kmirror.units import moment
from kmirror.wire.audit_windows import AuditVerdict, AuditWindow

_ROWS_MAX = 500


def audit_page(
    flows: Sequence[FlowStanding], *, at_ms: int, by: str, fingerprint: str = ""
) -> Page:
    """
    Make the page.

    Args:
        flows: What is known of their audits; at least one.
        at_ms: When that is, milliseconds since the epoch.
        by: Who writes it.
        fingerprint: Of the key that it will be signed with; empty for none.
    """
    signed = f"Signed with ed25519, key `{fingerprint}`." if fingerprint else "Not signed."
    differ = sum(len(flow.differences) for flow in flows)
    parts: list[Part] = []
    for flow in flows:
        parts += _parts(flow)
    parts.append(_how(is_signed=bool(fingerprint)))
    return Page(
        title=f"Audit of {', '.join(str(flow.flow) for flow in flows)}",
        about=f"Written {moment(at_ms)} by {by} with kmirror {kmirror.__version__}. {signed}",
        verdict=_headline(flows, differ),
        is_good=not differ and any(map(_is_audited, flows)),
        parts=tuple(parts),
        data=Data(
            name="kmirror-audit",
            value={"version": 1, "at_ms": at_ms, "by": by, "flows": [*map(plain, flows)]},
        ),
    )


def _headline(flows: Sequence[FlowStanding], differ: int) -> str:
    if differ:
        return f"NOT identical: {_windows(differ)}, see below."
    if not any(map(_is_audited, flows)):
        return "Nothing was audited yet."
    unknown = sum(flow.counts[AuditVerdict.UNDECIDABLE] for flow in flows)
    left = sum(flow.behind for flow in flows)
    parts = ["Everything that was compared is identical"]
    if unknown:
        parts.append(f"{_windows(unknown)} could not be decided")
    if left:
        parts.append(f"{left:,} copied offsets are not audited yet")
    return f"{'; '.join(parts)}."


def _is_audited(flow: FlowStanding) -> bool:
    """Whether something was compared; what `verify --record` finds identical has no windows."""
    return bool(flow.windows) or any(each.audit for each in flow.partitions)


def _windows(count: int) -> str:
    return "1 window" if count == 1 else f"{count:,} windows"


def _parts(found: FlowStanding) -> list[Part]:
    words = summary(found)
    sentence = f"{words[0].upper()}{words[1:]}. Read {moment(found.read_ms)}."
    parts: list[Part] = [Notes(title=str(found.flow), words=(sentence,)), *plots(found)]
    is_open = sorted(
        (each for each in found.windows if each.verdict is not AuditVerdict.IDENTICAL),
        key=lambda each: (not each.verdict.is_difference, each.partition, each.start),
    )
    if is_open:
        parts.append(_open(found, is_open))
    if found.partitions:
        parts.append(_partitions(found))
    return parts


def _open(found: FlowStanding, windows: Sequence[AuditWindow]) -> Table:
    shown = windows[:_ROWS_MAX]
    return Table(
        title=f"{found.flow}: windows that are not identical",
        columns=("partition", ">from", ">to", ">records", ">of the copy", "verdict", "what"),
        rows=tuple(
            (
                str(each.partition),
                f"{each.start:,}",
                f"{each.end - 1:,}",
                f"{each.source.records:,}",
                f"{each.copy.records:,}",
                each.verdict.value,
                each.words,
            )
            for each in shown
        ),
        bad=frozenset(at for at, each in enumerate(shown) if each.verdict.is_difference),
        note=_more(len(windows)),
    )


def _partitions(found: FlowStanding) -> Table:
    return Table(
        title=f"{found.flow}: partitions",
        columns=(
            *("partition", "copy", ">copied to", ">audited to", ">left"),
            *(">safe to delete before", "last"),
        ),
        rows=tuple(map(_partition, found.partitions[:_ROWS_MAX])),
        note=_more(len(found.partitions)),
    )


def _partition(each: PartitionStanding) -> tuple[str, ...]:
    return (
        str(each.facts.source),
        str(each.facts.target),
        f"{each.facts.position.source:,}",
        "" if each.audited_to is None else f"{each.audited_to:,}",
        f"{each.facts.behind:,}",
        "" if each.safe is None else f"{each.safe:,}",
        "" if each.audit is None else moment(each.audit.at_ms),
    )


def _more(rows: int) -> str:
    return f"And {rows - _ROWS_MAX:,} more, in the data of this page." if rows > _ROWS_MAX else ""


def _how(*, is_signed: bool) -> Notes:
    signature = (
        "`kmirror audit check REPORT --key public.pem` says whether the page is as it was signed, "
        "and by whom. Without kmirror: the last line of the file has the key and the signature "
        "over all bytes before it."
    )
    return Notes(
        title="How to check this page",
        words=(
            "A window is a range of source offsets, and the same range of the copy. Both sides "
            "were read with `read_committed`; records were counted, and hashed in their order: "
            "key, value, headers and timestamp.",
            "All windows that are kept, with their hashes, are in this page as JSON: "
            "`script#kmirror-audit`.",
            *((signature,) if is_signed else ()),
            "Whoever may read both clusters compares them anew: `kmirror audit run FILE --again`, "
            "or without anything that kmirror has written down: `kmirror verify FILE`.",
        ),
    )
