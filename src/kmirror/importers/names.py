"""Names that the driver's file needs: aliases of clusters, and those of copies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kmirror.config.keys.key import split_list
from kmirror.config.keys.mirror import IDENTITY_POLICY
from kmirror.importers.draft import Draft
from kmirror.importers.options import ImportOptions
from kmirror.importers.setting import Setting, wrong
from kmirror.model import Flow

_PREFIX = re.compile(r"(?P<alias>[A-Za-z0-9._-]*[A-Za-z0-9])(?P<separator>[._-]+)")
_LEGAL = re.compile(r"[A-Za-z0-9._-]+")
_ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"
_RENAME = "rename"


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyNames:
    """
    What copies are called.

    Args:
        alias: The source's, which is in the names; None where they have the source's names.
        separator: Between alias and name.
        replacement: What stands for the source's name, `$1`, as RegexRouter writes it; empty where
            nothing does.
        transforms: What changes records or names after that; flows differ by it.
    """

    alias: str | None = None
    separator: str = "."
    replacement: str = ""
    transforms: tuple[Setting, ...] = ()

    def key(self, flow: Flow) -> str:
        """Return the line that names copies."""
        if self.replacement:
            return f"{flow}.transforms"
        kind = "class" if self.alias is None else "separator"
        return (
            "clusters"
            if self.separator == "." and self.alias
            else f"{flow}.replication.policy.{kind}"
        )

    def write(self, draft: Draft, flow: Flow) -> None:
        """Write the policy of a flow, and its transforms."""
        if self.alias is None:
            draft.add(
                f"{flow}.replication.policy.class", IDENTITY_POLICY, "copies keep their names"
            )
        elif self.separator != ".":
            draft.add(f"{flow}.replication.policy.separator", self.separator, "")
        if self.replacement:
            add_router(draft, flow, _RENAME, "(.*)", self.replacement)
        write_transforms(draft, flow, self.transforms)


def copy_names(before: str, after: str, transforms: Sequence[Setting] = ()) -> CopyNames:
    """
    Return what copies are called that have something before and after the name of their topic.

    Args:
        before, after: What stands there.
        transforms: What the connector does to records or names after that.
    """
    chain = tuple(transforms)
    found = _PREFIX.fullmatch(before)
    if found is not None and not after:
        return CopyNames(alias=found["alias"], separator=found["separator"], transforms=chain)
    replacement = f"{_quoted(before)}$1{_quoted(after)}" if before or after else ""
    return CopyNames(replacement=replacement, transforms=chain)


def one_name(name: str, transforms: Sequence[Setting] = ()) -> CopyNames:
    """Return that every copy has one name, whatever its topic."""
    return CopyNames(replacement=_quoted(name), transforms=tuple(transforms))


def _quoted(text: str) -> str:
    """Return a text as it stands in the replacement of a Java regex."""
    return text.replace("\\", "\\\\").replace("$", "\\$")


def add_router(draft: Draft, flow: Flow, name: str, regex: str, replacement: str) -> None:
    """Add a transform that names copies, behind those that are there."""
    listed = draft.text(f"{flow}.transforms")
    draft.replace(f"{flow}.transforms", f"{listed}, {name}" if listed else name)
    draft.add(f"{flow}.transforms.{name}.type", _ROUTER, "")
    draft.add(f"{flow}.transforms.{name}.regex", regex, "")
    draft.add(f"{flow}.transforms.{name}.replacement", replacement, "")


def write_transforms(draft: Draft, flow: Flow, settings: Sequence[Setting]) -> None:
    """
    Write the transforms of a connector, behind those that name copies.

    Args:
        draft: Receives them.
        flow: The flow.
        settings: All that begins with `transforms` or `predicates`.
    """
    for setting in settings:
        key = f"{flow}.{setting.key}"
        earlier = draft.text(key) if setting.key == "transforms" else None
        if setting.no_text:
            draft.write(setting, key)
        elif not setting.text.strip():
            draft.equal(setting, "empty: left out")
        elif earlier:
            draft.replace(key, f"{earlier}, {setting.text}")
            draft.equal(setting, "", key)
        else:
            draft.write(setting, key)


class ClusterNames:
    """
    Gives clusters aliases, the same one to the same addresses.

    A cluster has a second alias where its flows into one target name their copies differently.
    """

    def __init__(self, options: ImportOptions) -> None:
        self._options = options
        self._known: dict[str, frozenset[str]] = {}
        self._flows: dict[Flow, CopyNames] = {}

    def flow(self, source: str, target: str, copies: CopyNames) -> Flow:
        """
        Return the flow between two clusters.

        Args:
            source, target: Their addresses.
            copies: What its copies are called.

        Raises:
            ConfigError: Another cluster has the alias that is in the names.
        """
        second = self._known_as(target) or self._new(self._options.target)
        if addresses(source) & addresses(target):
            second = self._options.target
        self._known.setdefault(second, addresses(target))
        first = self._source(source, second, copies)
        self._known.setdefault(first, addresses(source))
        return Flow(first, second)

    def _source(self, servers: str, target: str, copies: CopyNames) -> str:
        if copies.alias is not None:
            known = self._known.get(copies.alias)
            if known is not None and not known & addresses(servers):
                expected = f"two clusters would be called {copies.alias}: import each by itself"
                raise wrong(copies.alias, "clusters", expected)
            self._flows[Flow(copies.alias, target)] = copies
            return copies.alias
        for alias, known in self._known.items():
            is_it = bool(known & addresses(servers)) and alias != target
            if is_it and self._flows.setdefault(Flow(alias, target), copies) == copies:
                return alias
        alias = self._new(self._options.source)
        self._flows[Flow(alias, target)] = copies
        return alias

    def _known_as(self, servers: str) -> str | None:
        wanted = addresses(servers)
        found = (alias for alias, known in self._known.items() if known & wanted)
        return next(found, None)

    def _new(self, wanted: str) -> str:
        number = 1
        while (name := wanted if number == 1 else f"{wanted}{number}") in self._known:
            number += 1
        return name


def addresses(servers: str) -> frozenset[str]:
    """Return the brokers that a list names."""
    return frozenset(split_list(servers))


def exactly(names: Iterable[str]) -> tuple[str, ...]:
    """Return regular expressions that match these names and no others."""
    return tuple(name.replace(".", r"\.") if _LEGAL.fullmatch(name) else name for name in names)
