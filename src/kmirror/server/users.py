"""Who may call: a file with a line for each, `NAME:ROLE:CREDENTIAL`, that nobody else may read."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from kmirror.config.lines import unusable
from kmirror.control.caller import Role
from kmirror.errors import ConfigError, Problem

CERTIFICATE = "certificate"
TOKEN_PREFIX = "sha256$"
_HASH_PREFIX = "$argon2id$"
_FILE_BYTES_MAX = 1 << 20
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_HASHER = PasswordHasher()
_EXPECTED = (
    f"expected NAME:ROLE:CREDENTIAL, where ROLE is {', '.join(role.label for role in Role)} and "
    f"CREDENTIAL {_HASH_PREFIX}…, {TOKEN_PREFIX}… or {CERTIFICATE}: `kmirror user` writes such "
    "lines"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """
    Somebody who may call.

    Args:
        name: As they say it, or as their certificate does.
        role: What they may do.
    """

    name: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Users:
    """
    Everybody who may call.

    Args:
        passwords: Those who say name and password, with the hash of it.
        tokens: Digests of tokens, with whose they are.
        certificates: Those who show a certificate, by the name that the rules make of it.
    """

    passwords: Mapping[str, tuple[User, str]] = field(default_factory=dict, repr=False)
    tokens: Mapping[str, User] = field(default_factory=dict, repr=False)
    certificates: Mapping[str, User] = field(default_factory=dict)

    def by_password(self, name: str, password: str) -> User | None:
        """Return who has said a name and its password; takes the same time for whoever has not."""
        user, hashed = self.passwords.get(name, (None, _nobodys_hash()))
        try:
            _HASHER.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return None
        return user

    def by_token(self, token: str) -> User | None:
        """Return whose token that is; takes the same time for whatever is none."""
        digest = token_digest(token)
        found = None
        for known, user in self.tokens.items():
            if hmac.compare_digest(known, digest):
                found = user
        return found


def password_hash(password: str) -> str:
    """Return what the file has of a password."""
    return _HASHER.hash(password)


def token_digest(token: str) -> str:
    """Return what the file has of a token, which nobody could guess: a fast hash is enough."""
    return TOKEN_PREFIX + hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@cache
def _nobodys_hash() -> str:
    """Return the hash of a password that nobody knows, made when it is first asked for."""
    return password_hash(os.urandom(32).hex())


def read_users(path: Path) -> Users:
    """
    Read the file.

    Raises:
        ConfigError: Others may read it, or a line is none.
    """
    try:
        # Looked at when it is open, so that nobody exchanges it; a pipe is not awaited.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            is_file = stat.S_ISREG(found.st_mode)
            content = file.read(_FILE_BYTES_MAX + 1) if is_file else b""
    except OSError as error:
        raise unusable(str(path), f"cannot be read: {error.strerror}") from error
    if not is_file or len(content) > _FILE_BYTES_MAX:
        raise unusable(str(path), "is no file of users")
    if found.st_mode & _OTHERS:
        raise unusable(str(path), f"may be read by others: chmod 600 {path}")
    if found.st_uid not in {0, os.geteuid()}:
        raise unusable(str(path), f"belongs to user {found.st_uid}: it must be kmirror's own")
    return _parsed(content.decode("utf-8", "replace"), path)


def _parsed(text: str, path: Path) -> Users:
    users: dict[str, dict[str, object]] = {"passwords": {}, "tokens": {}, "certificates": {}}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            kind, key, value = _user(line.strip())
        except ValueError as wrong:
            # The line itself is not shown: it may be a password.
            problems.append(_problem(f"{path}:{number}", str(wrong)))
            continue
        if key in users[kind]:
            problems.append(_problem(f"{path}:{number}", "expected each name and token once"))
        users[kind][key] = value
    if problems:
        raise ConfigError(tuple(problems))
    return Users(**users)  # type: ignore[arg-type]  # by the names of the fields


def _user(line: str) -> tuple[str, str, object]:
    name, _, rest = line.rpartition(":")
    credential = rest
    name, _, role = name.rpartition(":")
    if not name.isprintable() or not name or role not in {each.label for each in Role}:
        raise ValueError(_EXPECTED)
    user = User(name=name, role=Role[role.upper()])
    if credential == CERTIFICATE:
        return "certificates", name, user
    if credential.startswith(TOKEN_PREFIX) and len(credential) == len(TOKEN_PREFIX) + 64:
        return "tokens", credential.lower(), user
    if credential.startswith(_HASH_PREFIX):
        if ":" in name:
            raise ValueError("expected no colon in a name with a password: Basic has none there")
        return "passwords", name, (user, credential)
    raise ValueError(_EXPECTED)


def _problem(where: str, expected: str) -> Problem:
    return Problem(where=where, key="user", value=None, expected=expected)
