"""
The header `kmirror.provenance` as Spark SQL: what it says is read, what goes round is left, and
what is copied gets a new one.

A header counts only if it was written for this very record: applications hand headers on to what
they write themselves, and that is no copy. So it names topic and partition of the copy, and has a
sum of key and value.
"""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.topic_sql import literal
from kmirror.model import Flow
from kmirror.policy.provenance import ProvenanceRules
from kmirror.wire.provenance import PROVENANCE_HEADER

PROVENANCE_COLUMN = "__kmirror_provenance"
# The record's time on the source: a flow may give its copy another one.
WRITTEN_COLUMN = "__kmirror_written"
_NAME = literal(PROVENANCE_HEADER)
_SUM = "hex(xxhash64(key, value))"
_FIELDS = literal(
    "cluster string, topic string, partition int, offset bigint, timestamp bigint, "
    "chain array<string>, copy string, sum string"
)
_HEADERS = "array<struct<key: string, value: binary>>"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenanceSql:
    """
    SQL over the columns of the source; for *headers* there are `PROVENANCE_COLUMN` and
    `WRITTEN_COLUMN`, too.

    Args:
        read: What a record's own header says; null for none, or one of another record.
        keep: Whether a record is copied; it does without the column, so that Spark reads a header
            for it once.
        headers: The headers of its copy; key, value, headers and timestamp are the copy's here.
    """

    read: str
    keep: str
    headers: str


def provenance_sql(flow: Flow, rules: ProvenanceRules, target_topic: str) -> ProvenanceSql:
    """
    Return the SQL of a flow.

    Args:
        flow: The flow.
        rules: Its choices.
        target_topic: SQL over `topic` for the copy's name.
    """
    value = f"try_element_at(filter(headers, h -> h.key = {_NAME}), -1).value"
    parsed = f"from_json(cast({value} as string), {_FIELDS})"
    is_of_this_record = (
        "p.cluster is not null and p.offset is not null and p.chain is not null "
        "and coalesce(p.copy, p.topic) = topic and p.partition = partition "
        f"and p.sum = {_SUM}"
    )
    left = [f"array_contains(p.chain, {literal(flow.target)})"]
    if rules.hops_max is not None:
        left.append(f"size(p.chain) >= {rules.hops_max}")
    goes_no_further = f"{is_of_this_record} and ({' or '.join(left)})"
    return ProvenanceSql(
        read=f"get(filter(array({parsed}), p -> {is_of_this_record}), 0)",
        keep=f"not coalesce(exists(array({parsed}), p -> {goes_no_further}), false)",
        headers=_headers(flow, target_topic),
    )


def _headers(flow: Flow, target_topic: str) -> str:
    at = PROVENANCE_COLUMN
    source = literal(flow.source)
    origin = f"coalesce({at}.topic, topic)"
    fields = {
        "cluster": f"coalesce({at}.cluster, {source})",
        "topic": origin,
        "partition": "partition",
        "offset": f"coalesce({at}.offset, offset)",
        "timestamp": f"coalesce({at}.timestamp, {WRITTEN_COLUMN})",
        "chain": f"concat(coalesce({at}.chain, cast(array() as array<string>)), array({source}))",
        # Absent where nothing was renamed.
        "copy": f"nullif({target_topic}, {origin})",
        "sum": _SUM,
    }
    listed = ", ".join(f"{literal(name)}, {sql}" for name, sql in fields.items())
    header = f"cast(to_json(named_struct({listed})) as binary)"
    others = f"filter(coalesce(headers, cast(array() as {_HEADERS})), h -> h.key <> {_NAME})"
    return f"concat({others}, array(named_struct('key', {_NAME}, 'value', {header})))"
