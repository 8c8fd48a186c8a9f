"""
What workers of one group tell each other: Connect workers in `__kmirror-workers-<group.id>`, nodes
of `kmirror run` in `__kmirror-nodes-<group.id>`.

The topic has one partition: its order is the order in which all of them learn everything. Keys are
JSON arrays: `["worker", instance]` is a worker's sign of life, `["offer", instance]` says what it
has settings for, `["shares"]` says who has which flows. Records older than a minute mean nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kmirror.wire.flow_names import in_names
from kmirror.wire.json_text import compact, parsed

NODES_GROUP = "kmirror"
"""Of nodes whose file names no other."""


def workers_topic(group_id: str) -> str:
    """Name the topic of the workers of *group_id*."""
    return f"__kmirror-workers-{in_names(group_id)}"


def nodes_topic(group_id: str) -> str:
    """Name the topic of the nodes of *group_id*."""
    return f"__kmirror-nodes-{in_names(group_id)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignOfLife:
    """
    A worker is there.

    Args:
        instance: One start of a worker; older ones come first in the order of these.
        worker_id: `host:port` of the worker.
        holds: The flows that it has not let go: `S->T`.
        leaves: It wants no flows any more; others may take what it holds.
        process: What its claims on flows say of it: `Owner.process`.
    """

    instance: str
    worker_id: str
    holds: tuple[str, ...] = ()
    leaves: bool = False
    process: str = ""

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields = {
            "worker": self.worker_id,
            "holds": list(self.holds),
            "leaves": self.leaves,
            "process": self.process,
        }
        return compact(["worker", self.instance]), compact(fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """
    What a worker has settings for; one that says nothing has them for whatever there is.

    Args:
        instance: The worker's.
        file: Is the same where the file says the same.
        written_ms: When the file was written last, since the epoch.
        flows: Those that it has.
    """

    instance: str
    file: str
    written_ms: int
    flows: tuple[str, ...]

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields = {"file": self.file, "written": self.written_ms, "flows": list(self.flows)}
        return compact(["offer", self.instance]), compact(fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """
    Who has which flows.

    Args:
        number: The highest counts; the first of those that have the same.
        by: The instance that has decided it.
        members: The instances among which the flows are shared.
        flows: `S->T` to an instance.
    """

    number: int
    by: str
    members: tuple[str, ...]
    flows: Mapping[str, str] = field(default_factory=dict)

    def encode(self) -> tuple[bytes, bytes]:
        """Return key and value."""
        fields = {
            "number": self.number,
            "by": self.by,
            "members": list(self.members),
            "flows": dict(self.flows),
        }
        return compact(["shares"]), compact(fields)


WorkerRecord = SignOfLife | Offer | Shares


def decode_worker_record(key: bytes | None, value: bytes | None) -> WorkerRecord | None:
    """Read one record of the topic; `None` for what is none of these."""
    match parsed(key), parsed(value):
        case (
            ["worker", str(instance)],
            {"worker": str(worker_id), "holds": list(holds), "leaves": bool(leaves)} as fields,
        ):
            return SignOfLife(
                instance=instance,
                worker_id=worker_id,
                holds=tuple(map(str, holds)),
                leaves=leaves,
                process=str(fields.get("process", "")),
            )
        case (
            ["offer", str(instance)],
            {"file": str(file), "written": int(written_ms), "flows": list(flows)},
        ):
            return Offer(
                instance=instance,
                file=file,
                written_ms=written_ms,
                flows=tuple(map(str, flows)),
            )
        case (
            ["shares"],
            {"number": int(number), "by": str(by), "members": list(members), "flows": dict(flows)},
        ):
            return Shares(
                number=number,
                by=by,
                members=tuple(map(str, members)),
                flows={str(flow): str(instance) for flow, instance in flows.items()},
            )
    return None
