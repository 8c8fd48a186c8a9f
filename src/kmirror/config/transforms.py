"""
Connect's transforms as Spark SQL and names of copies, where that is the same for bytes.

A transform works on Connect's record, which for MirrorMaker 2 has the copy's topic, bytes for key
and value, headers of bytes, and a time. RegexRouter and TimestampRouter change the topic, Filter
leaves records out, DropHeaders leaves headers out. All others need fields or schemas, which bytes
do not have: in Connect they fail at the first record, so they are refused.
"""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.entry import Entries, Entry, Findings
from kmirror.config.keys.key import split_list
from kmirror.config.keys.transforms import TRANSFORMS, predicate_named, transform_named
from kmirror.config.sql import SqlText
from kmirror.config.topic_sql import condition_sql, first_copy_sql, literal
from kmirror.policy.regex import RegexProblem
from kmirror.policy.replication import ReplicationPolicy
from kmirror.policy.routed import RoutedPolicy
from kmirror.policy.routes import (
    NameCondition,
    Route,
    check_name_pattern,
    read_format,
    read_route,
)

_FORMAT_DEFAULT = "${topic}-${timestamp}"
_TIMES = (
    "a topic for each day or hour: kmirror copies a partition to one partition, and keeps its "
    "position with it; write topic.format without ${timestamp}"
)
_QUOTES = "\\Q…\\E in a regex of a transform: write \\ before what is special"
_BY_RECORD = (
    "this predicate is about single records, and a topic's copy has one name; use TopicNameMatches"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transforms:
    """
    What a flow's transforms do.

    Args:
        routes: How they change the names of copies.
        where: Which records they leave, as SQL; `None` for all.
        headers: The headers that they leave, as SQL; `None` for all.
    """

    routes: tuple[Route, ...] = ()
    where: SqlText | None = None
    headers: SqlText | None = None

    @property
    def looks_inside(self) -> bool:
        """Whether they drop or change records."""
        return self.where is not None or self.headers is not None

    def routed(self, policy: ReplicationPolicy) -> ReplicationPolicy:
        """Return a policy whose copies have the names that the routes make."""
        return RoutedPolicy(base=policy, routes=self.routes) if self.routes else policy


NO_TRANSFORMS = Transforms()


def read_transforms(
    connector: Entries, policy: ReplicationPolicy, source: str, findings: Findings
) -> Transforms:
    """
    Read a flow's transforms; add what is refused to *findings*.

    Args:
        connector: The flow's connector properties.
        policy: How copies are named before transforms.
        source: The source's alias.
        findings: Receives what is wrong.
    """
    listed = connector.get("transforms")
    if listed is None or not split_list(listed.text):
        return NO_TRANSFORMS
    chain = _Chain(connector, policy, source, findings)
    for alias in split_list(listed.text):
        chain.add(alias, listed)
    return chain.result(listed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Predicate:
    """For which records a transform is: as SQL, and if it is about names only, as such a thing."""

    sql: str
    names: NameCondition | None


class _Chain:
    """The transforms, one behind the other."""

    def __init__(
        self, connector: Entries, policy: ReplicationPolicy, source: str, findings: Findings
    ) -> None:
        self._connector = connector
        self._policy = policy
        self._source = source
        self._findings = findings
        self._headers = "headers"
        self._where: list[str] = []
        self._routes: list[Route] = []

    def add(self, alias: str, listed: Entry) -> None:
        """Add the next one."""
        prefix = f"transforms.{alias}."
        entry = self._connector.get(f"{prefix}type")
        if entry is None:
            self._findings.missing(f"{prefix}type", "expected the class of a transform", listed)
            return
        name = transform_named(entry.text.strip())
        why = "expected one of Connect's own transforms: Java classes cannot be loaded here"
        if name is not None:
            why = TRANSFORMS[name]
        if name is None or why:
            self._findings.wrong(entry, why if name is None else f"{name} {why}")
            return
        predicate = self._predicate(prefix, entry)
        if predicate is not None:
            self._apply(name, prefix, entry, predicate)

    def result(self, listed: Entry) -> Transforms:
        """Return what all of them do."""
        where, headers = " and ".join(self._where), self._headers
        own = self._connector.get("kmirror.select.headers")
        if own is not None and headers != "headers":
            self._findings.wrong(
                own, "expected no DropHeaders beside it: put both into one of them"
            )
        acls = self._connector.get("kmirror.acls")
        if self._routes and acls is not None and acls.text.strip() == "exact":
            self._findings.wrong(
                acls,
                "expected mm2 with transforms that rename copies: an ACL of names that begin alike "
                "has no equal on the target",
            )
        return Transforms(
            routes=tuple(self._routes),
            where=SqlText(sql=where, entry=listed) if where else None,
            headers=SqlText(sql=headers, entry=listed) if headers != "headers" else None,
        )

    def _apply(self, name: str, prefix: str, entry: Entry, predicate: _Predicate) -> None:
        if name == "Filter":
            self._where.append(f"(not {predicate.sql})")
        elif name == "DropHeaders":
            self._drop_headers(prefix, entry, predicate)
        elif predicate.names is None and predicate.sql != "true":
            at = self._connector[f"{prefix}predicate"]
            self._findings.wrong(at, _BY_RECORD)
        else:
            self._route(name, prefix, entry, predicate.names)

    def _route(self, name: str, prefix: str, entry: Entry, only: NameCondition | None) -> None:
        try:
            route = (
                self._regex_route(prefix, entry, only)
                if name == "RegexRouter"
                else self._format_route(prefix, entry, only)
            )
        except RegexProblem as problem:
            self._findings.wrong(self._connector.get(f"{prefix}regex", entry), str(problem))
            return
        if route is not None:
            self._routes.append(route)

    def _regex_route(self, prefix: str, entry: Entry, only: NameCondition | None) -> Route | None:
        regex = self._required(f"{prefix}regex", entry)
        replacement = self._required(f"{prefix}replacement", entry)
        if regex is None or replacement is None:
            return None
        if "\\Q" in regex:
            raise RegexProblem(_QUOTES)
        return read_route(regex, replacement, only)

    def _format_route(self, prefix: str, entry: Entry, only: NameCondition | None) -> Route | None:
        at = self._connector.get(f"{prefix}topic.format")
        text = _FORMAT_DEFAULT if at is None else at.text.strip()
        if "${timestamp}" in text:
            self._findings.wrong(at or entry, f"expected no {_TIMES}")
            return None
        return read_format(text, only)

    def _drop_headers(self, prefix: str, entry: Entry, predicate: _Predicate) -> None:
        text = self._required(f"{prefix}headers", entry)
        if text is None:
            return
        names = ", ".join(map(literal, split_list(text)))
        kept = f"filter({self._headers}, h -> h.key not in ({names}))"
        self._headers = (
            kept
            if predicate.sql == "true"
            else f"case when {predicate.sql} then {kept} else {self._headers} end"
        )

    def _required(self, name: str, near: Entry) -> str | None:
        entry = self._connector.get(name)
        if entry is None:
            self._findings.missing(name, "expected a value: it has no default", near)
            return None
        return entry.text.strip()

    def _predicate(self, prefix: str, near: Entry) -> _Predicate | None:
        """Return for which records a transform is; `None` if that is wrong."""
        entry = self._connector.get(f"{prefix}predicate")
        negate = self._connector.get(f"{prefix}negate")
        if entry is None:
            if negate is not None:
                self._findings.wrong(negate, f"expected {prefix}predicate beside it")
                return None
            return _Predicate(sql="true", names=None)
        alias = entry.text.strip()
        listed = self._connector.get("predicates")
        kind = self._connector.get(f"predicates.{alias}.type")
        if listed is None or alias not in split_list(listed.text) or kind is None:
            self._findings.wrong(entry, "expected the name of a predicate that predicates lists")
            return None
        is_negated = negate is not None and negate.text.strip().lower() == "true"
        return self._read_predicate(alias, kind, near, is_negated=is_negated)

    def _read_predicate(
        self, alias: str, kind: Entry, near: Entry, *, is_negated: bool
    ) -> _Predicate | None:
        name = predicate_named(kind.text.strip())
        sql: str | None = None
        names: NameCondition | None = None
        if name == "RecordIsTombstone":
            sql = "(value is null)"
        elif name == "HasHeaderKey":
            header = self._required(f"predicates.{alias}.name", near)
            if header is not None:
                found = f"exists({self._headers}, h -> h.key = {literal(header)})"
                sql = f"coalesce({found}, false)"
        elif name == "TopicNameMatches":
            names = self._names(alias, near, is_negated=is_negated)
            if names is None:
                return None
            return _Predicate(sql=condition_sql(self._topic_sql(), names), names=names)
        else:
            self._findings.wrong(
                kind, "expected one of Connect's own predicates: Java classes cannot be loaded here"
            )
        if sql is None:
            return None
        return _Predicate(sql=f"(not {sql})" if is_negated else sql, names=None)

    def _topic_sql(self) -> str:
        """Return the copy's name at this place of the chain."""
        policy = Transforms(routes=tuple(self._routes)).routed(self._policy)
        return first_copy_sql(policy, self._source)

    def _names(self, alias: str, near: Entry, *, is_negated: bool) -> NameCondition | None:
        key = f"predicates.{alias}.pattern"
        pattern = self._required(key, near)
        if pattern is None:
            return None
        entry = self._connector[key]
        try:
            check_name_pattern(pattern)
        except RegexProblem as problem:
            self._findings.wrong(entry, str(problem))
            return None
        if "\\Q" in pattern:
            self._findings.wrong(entry, f"expected no {_QUOTES}")
            return None
        return NameCondition(pattern=pattern, negate=is_negated)
