"""
Values that lie elsewhere: references of other systems become such as kmirror follows.

A Secret of Kubernetes is a folder with a file for each of its keys, which is how a pod mounts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from kmirror.config.keys.key import split_list
from kmirror.importers.draft import Draft

DIRECTORY = "dir"
_LIST = "config.providers"
_KAFKA = "org.apache.kafka.common.config.provider."
# By the names that everybody gives them.
_USUAL = {
    "file": "FileConfigProvider",
    DIRECTORY: "DirectoryConfigProvider",
    "directory": "DirectoryConfigProvider",
    "env": "EnvVarConfigProvider",
}
_REFERENCE = re.compile(r"\$\{(?P<provider>[^${}:]+):(?:(?P<path>[^{}:]*):)?(?P<key>[^{}:]+)\}")
_NAMESPACED = re.compile(r"[a-z0-9.-]+/(?P<secret>[a-z0-9.-]+)")
_NO_NAME = re.compile(r"[^A-Za-z0-9._-]")
_ADDED = "config providers that the values below need"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """
    `${provider:path:key}`.

    Args:
        provider: Its name.
        path: A file or a folder; empty for variables.
        key: The value's name there.
    """

    provider: str
    path: str
    key: str


def references(text: str) -> Iterator[Reference]:
    """Return the references in a value."""
    for found in _REFERENCE.finditer(text):
        yield Reference(provider=found["provider"], path=found["path"] or "", key=found["key"])


def secret_reference(folder: PurePosixPath, secret: str, key: str) -> str:
    """
    Return the reference to a key of a Secret.

    Args:
        folder: Where Secrets are mounted.
        secret: The Secret's name.
        key: The key.
    """
    return f"${{{DIRECTORY}:{folder / secret}:{key}}}"


def settle_providers(draft: Draft, folder: PurePosixPath) -> None:
    """
    Give the file the providers that its values need, and take back what needs others.

    Args:
        draft: All lines.
        folder: Where Secrets of Kubernetes are mounted.
    """
    _mount_secrets(draft, folder)
    _drop_java_classes(draft, folder)
    if draft.providers_elsewhere:
        for name in _by_provider(draft):
            if _kind(draft, name) is None and name not in _USUAL:
                _read_from_file(draft, name, folder)
    for name, found in _by_provider(draft).items():
        if _kind(draft, name) is None and draft.providers_elsewhere and name in _USUAL:
            _define(draft, name)
        kind = _kind(draft, name)
        if kind is None:
            continue
        if kind == _USUAL["env"]:
            _allow(draft, f"{_LIST}.{name}.param.allowlist.pattern", {each.key for each in found})
        else:
            is_file = kind == _USUAL["file"]
            paths = (PurePosixPath(each.path) for each in found)
            folders = {_allowed(path.parent if is_file else path, folder) for path in paths}
            _allow(draft, f"{_LIST}.{name}.param.allowed.paths", folders)


def _define(draft: Draft, name: str) -> None:
    listed = split_list(draft.text(_LIST) or "")
    draft.replace(_LIST, ", ".join((*listed, name)), _ADDED)
    draft.add(f"{_LIST}.{name}.class", _KAFKA + _USUAL[name], "")


def _allowed(path: PurePosixPath, secrets: PurePosixPath) -> str:
    return str(secrets if path.parent == secrets else path)


def _by_provider(draft: Draft) -> dict[str, list[Reference]]:
    found: dict[str, list[Reference]] = {}
    for line in draft.lines:
        if not line.refused and not line.key.startswith(_LIST):
            for reference in references(line.text):
                found.setdefault(reference.provider, []).append(reference)
    return found


def _kind(draft: Draft, name: str) -> str | None:
    """Return the class of a provider that is listed, without its package."""
    if name not in split_list(draft.text(_LIST) or ""):
        return None
    text = draft.text(f"{_LIST}.{name}.class")
    return None if text is None else text.strip().rpartition(".")[2]


def _mount_secrets(draft: Draft, folder: PurePosixPath) -> None:
    """Replace `${provider:namespace/secret:key}`, which only Kubernetes can follow."""
    for line in draft.lines:
        text = _REFERENCE.sub(lambda found: _mounted(found, folder), line.text)
        if text != line.text and not line.refused:
            draft.replace(line.key, text)
            draft.doubt(line.key, "reads the Secret from a folder")
    for line in draft.lines:
        for reference in references(line.text):
            path = PurePosixPath(reference.path)
            if reference.provider == DIRECTORY and path.parent == folder and not line.refused:
                draft.remark(f"{path} must be the Secret {path.name}, mounted there or copied")


def _mounted(found: re.Match[str], folder: PurePosixPath) -> str:
    secret = _NAMESPACED.fullmatch(found["path"] or "")
    return found[0] if secret is None else secret_reference(folder, secret["secret"], found["key"])


def _drop_java_classes(draft: Draft, folder: PurePosixPath) -> None:
    """Take back providers whose classes kmirror cannot load."""
    names = split_list(draft.text(_LIST) or "")
    strange = [name for name in names if _kind(draft, name) not in (*_USUAL.values(), None)]
    for name in strange:
        for line in draft.lines:
            if line.key.startswith(f"{_LIST}.{name}."):
                draft.drop(line.key, "Java classes cannot be loaded here")
        draft.replace(_LIST, ", ".join(kept for kept in names if kept not in strange))
        _read_from_file(draft, name, folder)


def _read_from_file(draft: Draft, name: str, folder: PurePosixPath) -> None:
    """Have the values of a provider read from a file, into which somebody has to put them."""
    file = folder / f"{_NO_NAME.sub('-', name)}.properties"
    for line in draft.lines:
        found = [each for each in _REFERENCE.finditer(line.text) if each["provider"] == name]
        if not found or line.refused:
            continue
        text = line.text
        for each in found:
            key = _NO_NAME.sub("-", ".".join(filter(None, (each["path"], each["key"]))))
            text = text.replace(each[0], f"${{file:{file}:{key}}}")
            draft.lacks(
                line.key,
                f"kmirror has no config provider {name}: write the value of {each[0]} into {file}, "
                f"as {key} = …",
            )
        draft.replace(line.key, text)
        if _kind(draft, "file") is None:
            _define(draft, "file")


def _allow(draft: Draft, key: str, wanted: set[str]) -> None:
    """Name what a provider may read: kmirror's reads nothing else, Kafka's everything."""
    if draft.text(key) is None and wanted:
        joined = "|" if key.endswith("pattern") else ", "
        draft.add(key, joined.join(sorted(wanted)), "kmirror reads nothing else")
