"""
`${provider:path:key}`: values that stand outside the properties file.

The providers are Kafka's own three, by their class names. Each reads only what the file
allows: without an allow-list any file of the host could be sent to a broker as a password.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kmirror.config.entry import Entries, Findings
from kmirror.config.keys.key import split_list
from kmirror.config.properties import MalformedProperties, decode, read
from kmirror.policy.regex import NamePattern, RegexProblem, compile_any

FILE_BYTES_MAX = 64 << 10

_CLASS_PREFIX = "org.apache.kafka.common.config.provider."


class ReferenceProblem(ValueError):
    """A reference that is refused or cannot be resolved; the text says what to do."""


class Provider(Protocol):
    """A source of values."""

    def value(self, path: str, key: str) -> str:
        """Return the value of *key* in *path*; raises ReferenceProblem."""
        ...

    def file(self, path: str, key: str) -> Path | None:
        """Return the file that has it; `None` when it is in none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvVarProvider:
    """`${env:NAME}`: variables whose whole name matches *allowed*."""

    name: str
    allowed: NamePattern | None
    environ: Mapping[str, str]

    def value(self, path: str, key: str) -> str:
        option = f"config.providers.{self.name}.param.allowlist.pattern"
        if self.allowed is None or not self.allowed.matches(key):
            raise ReferenceProblem(
                f"{option} does not allow {key}: add it, such as {option} = {key}"
            )
        if path or key not in self.environ:
            raise ReferenceProblem(f"there is no environment variable {key}")
        return self.environ[key]

    def file(self, path: str, key: str) -> Path | None:  # noqa: ARG002 - as others have it
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProvider:
    """`${file:/path:key}`: a key of a properties file below one of *allowed*."""

    name: str
    allowed: tuple[str, ...]

    def value(self, path: str, key: str) -> str:
        content = _read_allowed(self.name, path, self.allowed)
        try:
            values = {item.key: item.value for item in read(decode(content))}
        except MalformedProperties as problem:
            raise ReferenceProblem(f"{path}, line {problem.line}: {problem}") from problem
        if key not in values:
            raise ReferenceProblem(f"{path} has no key {key}")
        return values[key]

    def file(self, path: str, key: str) -> Path | None:  # noqa: ARG002 - it has all keys
        return Path(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryProvider:
    """`${dir:/path:name}`: the whole content of a file below one of *allowed*."""

    name: str
    allowed: tuple[str, ...]

    def value(self, path: str, key: str) -> str:
        if os.sep in key or key in ("", ".", ".."):
            raise ReferenceProblem(f"{key} is not the name of a file in {path}")
        return decode(_read_allowed(self.name, os.path.join(path, key), self.allowed))  # noqa: PTH118 - realpath follows

    def file(self, path: str, key: str) -> Path | None:
        return Path(path, key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """
    A text whose references are replaced.

    Args:
        text: The text.
        brought: What stands where references were, in order.
    """

    text: str
    brought: tuple[str, ...]


class References:
    """Expands the references in values, through the providers that the file names."""

    def __init__(self, providers: Mapping[str, Provider]) -> None:
        self._providers = providers
        self._files: dict[Path, None] = {}

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that a reference has brought a value from."""
        return tuple(self._files)

    def expand(self, text: str) -> str:
        """
        *text* with every reference to a known provider replaced, as Kafka's ConfigTransformer.

        Raises:
            ReferenceProblem: a reference is refused, or there is nothing where it points.
        """
        return self.resolve(text).text

    def resolve(self, text: str) -> Resolved:
        """
        Do the same, and tell what the references brought.

        Raises:
            ReferenceProblem: As above.
        """
        out: list[str] = []
        brought: list[str] = []
        done = 0
        for found in _references(text):
            provider = self._providers.get(found.provider)
            if provider is not None:
                brought.append(_value(provider, found))
                out += (text[done : found.start], brought[-1])
                if (file := provider.file(found.path, found.key)) is not None:
                    self._files[file] = None
                done = found.end
        return Resolved(text="".join([*out, text[done:]]), brought=tuple(brought))

    def unknown(self, text: str) -> str | None:
        """Return the first provider named in *text* that the file does not define."""
        names = (found.provider for found in _references(text))
        return next((name for name in names if name not in self._providers), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reference:
    """`${provider:path:key}`, or `${provider:key}` without a path, from *start* to *end*."""

    start: int
    end: int
    provider: str
    path: str
    key: str


def _value(provider: Provider, found: _Reference) -> str:
    try:
        return provider.value(found.path, found.key)
    except UnicodeEncodeError as error:
        # Half of a character, as Java's escapes can write one.
        expected = "no file and no environment variable has a name that UTF-8 cannot write"
        raise ReferenceProblem(expected) from error


def _references(text: str) -> Iterator[_Reference]:
    """Find what Kafka's ConfigTransformer finds, in one pass."""
    end = 0
    while (start := text.find("${", end)) >= 0 and (close := text.find("}", start)) >= 0:
        end = close + 1
        provider, colon, rest = text[start + 2 : close].partition(":")
        path, key = rest.split(":", 1) if ":" in rest else ("", rest)
        if colon:
            yield _Reference(start=start, end=end, provider=provider, path=path, key=key)


def read_providers(entries: Entries, environ: Mapping[str, str], findings: Findings) -> References:
    """Return the providers that `config.providers` names; add what is wrong to *findings*."""
    providers: dict[str, Provider] = {}
    listed = entries.get("config.providers")
    for name in split_list(listed.text) if listed is not None else ():
        prefix = f"config.providers.{name}."
        class_entry = entries.get(f"{prefix}class")
        if class_entry is None:
            expected = f"expected a provider such as {_CLASS_PREFIX}EnvVarConfigProvider"
            findings.missing(f"{prefix}class", expected, listed)
            continue
        kind = class_entry.text.strip().removeprefix(_CLASS_PREFIX)
        if kind == "EnvVarConfigProvider":
            pattern = _allowed_pattern(entries, prefix, findings)
            providers[name] = EnvVarProvider(name=name, allowed=pattern, environ=environ)
        elif kind == "FileConfigProvider":
            providers[name] = FileProvider(name=name, allowed=_allowed_paths(entries, prefix))
        elif kind == "DirectoryConfigProvider":
            providers[name] = DirectoryProvider(name=name, allowed=_allowed_paths(entries, prefix))
        else:
            findings.wrong(
                class_entry,
                "expected EnvVarConfigProvider, FileConfigProvider or DirectoryConfigProvider of "
                f"{_CLASS_PREFIX}*: Java classes cannot be loaded here",
            )
    return References(providers)


def _allowed_pattern(entries: Entries, prefix: str, findings: Findings) -> NamePattern | None:
    entry = entries.get(f"{prefix}param.allowlist.pattern")
    if entry is None:
        return None
    try:
        return compile_any((entry.text,))
    except RegexProblem as problem:
        findings.wrong(entry, f"expected a regex: {problem}")
        return None


def _allowed_paths(entries: Entries, prefix: str) -> tuple[str, ...]:
    entry = entries.get(f"{prefix}param.allowed.paths")
    paths = split_list(entry.text) if entry is not None else ()
    return tuple(filter(None, map(real_path, paths)))


def real_path(text: str) -> str | None:
    """Return an absolute path with all links followed; `None` for what is none."""
    if not os.path.isabs(text) or "\0" in text:  # noqa: PTH117 - text in, text out
        return None
    try:
        return os.path.realpath(text)
    except UnicodeEncodeError:
        return None


def _read_allowed(provider: str, path: str, allowed: tuple[str, ...]) -> bytes:
    """Read *path*, if it is still allowed after following every link in it."""
    if "\0" in path:
        raise ReferenceProblem("a path has no NUL in it")
    real = os.path.realpath(path)
    option = f"config.providers.{provider}.param.allowed.paths"
    if not any(os.path.commonpath((real, directory)) == directory for directory in allowed):
        raise ReferenceProblem(f"{option} does not allow {path}: add its directory there")
    try:
        # Not blocking: opening a FIFO must not wait for its writer.
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise ReferenceProblem(f"{path} cannot be read: {error.strerror}") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ReferenceProblem(f"{path} is not a regular file")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            content = file.read(FILE_BYTES_MAX + 1)
    finally:
        os.close(descriptor)
    if len(content) > FILE_BYTES_MAX:
        raise ReferenceProblem(f"{path} is larger than {FILE_BYTES_MAX} bytes")
    return content
