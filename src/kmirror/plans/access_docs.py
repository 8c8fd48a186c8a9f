"""Writes docs/acls.md from the table: `python -m kmirror.plans.access_docs`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from kmirror.model import Flow
from kmirror.plans.access import Access, Resource, Row
from kmirror.plans.access_shared import NODES_ROW, WORKER_ROWS
from kmirror.plans.access_table import HEARTBEAT_ROW, ROWS
from kmirror.policy.acl_names import AclName
from kmirror.policy.replication import DefaultReplicationPolicy
from kmirror.policy.selection import CANARY_PREFIX
from kmirror.wire.flow_names import joined, offsets_topic

_INTRODUCTION = """# ACLs

`kmirror acls mm2.properties` prints what a file needs as commands to paste, for every cluster, and
asks none of them. The principals are those that the file logs in as. Where the file does not say
(TLS certificates, tokens), replace the name in capitals, or give it with `--principal A=User:x`.

- `--moves` adds what `kmirror failover`, `promote`, `failback` and `offsets reset` need.
- `--json` prints the same as one JSON object.
- What is switched off in the file needs no right, and gets none.
- ACLs know names and prefixes, no regexes: `topics = orders.*` becomes a prefix. Where a regex can
  only be said by allowing more, a comment says so.

`kmirror check mm2.properties` asks the clusters which of these rights are missing, and prints the
command for each. A test gives a user exactly what `kmirror acls` prints, on real brokers, and
mirrors; then it takes away one right after the other, and kmirror names each that is missing.

This table is what both commands work with, for a flow `A->B` with `topics = orders` and
`groups = billing`. Read and Write include Describe, and AlterConfigs includes DescribeConfigs.
Brokers older than Kafka 2.8 want IdempotentWrite on the cluster, too.
"""
_END = """Heartbeats topics of the source are copied like every topic that `topics` names.

Without Describe on a topic or group, Kafka hides it instead of refusing the request. kmirror then
does not mirror it, and never deletes anything because of that.
"""
_WORKERS = """## A Connect worker

`kmirror acls connect-distributed.properties` prints what a [worker](connect.md) needs on its own
cluster. With the files of connectors behind it, it prints what their flows need, too: `kmirror acls
connect-distributed.properties source.json`. Those that come over REST need the same as flows of a
driver. For a `group.id` of `connect-cluster`:
"""
_FLOW = Flow("A", "B")
_EXAMPLE = Access(
    flow=_FLOW,
    policy=DefaultReplicationPolicy(),
    topics=("orders",),
    groups=("billing",),
    heartbeats=(),
    offset_storage_topic=offsets_topic(_FLOW.source),
    exactly_once=True,
    offset_syncs="source",
    checkpoints=True,
    group_offsets=True,
    topic_settings=True,
    dead_letters=True,
    deletions=True,
    deletes=True,
    acls=True,
    canary_topic=f"{CANARY_PREFIX}{joined(_FLOW)}",
)


def acls_page() -> str:
    """Write the whole page, in Markdown."""
    workers = "\n".join(_workers_table())
    parts = (_INTRODUCTION, "\n".join(_table()), _END, _WORKERS, workers)
    return "\n".join(f"{part.rstrip()}\n" for part in parts)


def _table() -> Iterator[str]:
    yield "| cluster | resource | operations | for | without it | when |"
    yield "|---|---|---|---|---|---|"
    seen = set()
    for row in (*ROWS, HEARTBEAT_ROW, NODES_ROW):
        line = _line(row)
        if line not in seen:
            yield line
            seen.add(line)


def _workers_table() -> Iterator[str]:
    yield "| resource | operations | for | without it |"
    yield "|---|---|---|---|"
    for row in WORKER_ROWS:
        # Its first cell is of a flow, and so is its last.
        yield f"|{'|'.join(_line(row).split('|')[2:6])}|"


def _line(row: Row) -> str:
    at_target = row.when(replace(_EXAMPLE, offset_syncs="target"))
    access = (
        _EXAMPLE
        if row.when(_EXAMPLE) or not at_target
        else replace(_EXAMPLE, offset_syncs="target")
    )
    names = ", ".join(_name(name) for name in row.names(access))
    operations = ", ".join(operation.value for operation in row.operations)
    when = "; ".join(filter(None, ("optional" if row.is_optional else "", row.only)))
    kind = row.resource.value.replace("-", " ")
    what = kind if row.resource is Resource.CLUSTER else f"{kind} {names}"
    return f"| {row.end} | {what} | {operations} | {row.why} | {row.without} | {when} |"


def _name(name: AclName) -> str:
    return f"`{name.text}*`" if name.is_prefix else f"`{name.text}`"


if __name__ == "__main__":
    sys.stdout.write(acls_page())
