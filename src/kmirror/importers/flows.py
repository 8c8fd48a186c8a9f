"""What every flow gets that comes from a system that copied records and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from kmirror.importers.draft import Draft
from kmirror.importers.names import exactly
from kmirror.importers.setting import Setting
from kmirror.model import Flow

COMMA = (
    "a comma separates regular expressions in the file: write the expression without one, such as "
    "x|xx for x{1,2}"
)


def copy_records_only(draft: Draft, flow: Flow, system: str) -> None:
    """
    Switch off what kmirror does by default and the other system did not do.

    Args:
        draft: Receives the lines.
        flow: The flow.
        system: The other system's name.
    """
    draft.add("emit.heartbeats.enabled", "false", f"{system} wrote none")
    draft.add(
        "offset.storage.replication.factor",
        "-1",
        "kmirror writes its positions for MirrorMaker 2, too, to a topic as the brokers like it",
    )
    for name, because in (
        ("emit.checkpoints.enabled", f"{system} did not follow consumer groups; kmirror can"),
        ("emit.offset-syncs.enabled", "nor did it write anything to the source"),
        ("heartbeats.replication.enabled", ""),
        (
            "sync.topic.configs.enabled",
            f"{system} did not keep topics' settings equal; kmirror can",
        ),
        ("sync.topic.acls.enabled", "nor ACLs"),
    ):
        draft.add(f"{flow}.{name}", "false", because)
    draft.add(f"{flow}.topics.exclude", "__.*", f"{system} left out no others")


def adopt_copies(draft: Draft, flow: Flow) -> None:
    """Have kmirror go on where the copies end, as their last records say."""
    draft.add(
        f"{flow}.kmirror.position.missing",
        "adopt",
        "the ends of both logs say where to go on; a partition where they do not is parked",
    )


def seek_by_group(draft: Draft, flow: Flow, group: str, page: str) -> None:
    """
    Say that the first positions are a group's offsets: copies have not their source's partitions.

    Args:
        draft: Told so.
        flow: The flow.
        group: The group that the other system commits to, on the source.
        page: The page that says how.
    """
    draft.remark(
        f"{flow}: partitions whose copies have records are parked until `kmirror seek` has the "
        f"offsets of {group or 'its group'} on {flow.source}, see docs/{page}"
    )


def write_topics(
    draft: Draft, flow: Flow, names: Sequence[Setting], regexes: Sequence[Setting]
) -> None:
    """
    Write which topics a flow copies, beside those that it copies already.

    Args:
        draft: Receives the line.
        flow: The flow.
        names: Settings that list topics by name.
        regexes: Settings that are one regular expression each.
    """
    key = f"{flow}.topics"
    listed: list[str] = []
    for setting in names:
        parts = () if setting.no_text else setting.text.split(",")
        listed += exactly(filter(None, (part.strip() for part in parts)))
        draft.equal(setting, "", key)
    for setting in regexes:
        text = setting.text.strip()
        if setting.no_text:
            draft.equal(setting, "", key)
        elif "," in text:
            draft.refuse(setting, COMMA)
            draft.hold(flow)
        elif text:
            listed.append(text)
            draft.equal(setting, "", key)
        else:
            draft.equal(setting, "empty: left out")
    earlier = draft.text(key)
    if listed and earlier:
        draft.replace(key, ", ".join(dict.fromkeys((earlier, *listed))))
    elif listed:
        draft.add(key, ", ".join(dict.fromkeys(listed)), "", setting=(*names, *regexes)[0])
    elif not earlier:
        draft.hold(flow)


def seconds(text: str) -> str:
    """Return milliseconds as whole seconds, at least one; what is no number stays as it is."""
    number = text.strip()
    return str(max(1, -(-int(number) // 1000))) if number.isdecimal() else text
