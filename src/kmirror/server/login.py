"""Finds out who asks: by password, by token, or by certificate."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import threading
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

from kmirror.clock import Clock
from kmirror.control.caller import Caller, Role
from kmirror.errors import ConfigError
from kmirror.events.emit import emit
from kmirror.events.rest import LOGIN_REFUSED, USERS_REFUSED
from kmirror.policy.principal_names import PrincipalRules
from kmirror.runtime.file_watch import FileWatch
from kmirror.server.answers import HttpProblem
from kmirror.server.throttle import AddressThrottle
from kmirror.server.users import User, Users, read_users

ANONYMOUS = "anonymous"
# Wrong logins of an address: so many at once, then one in so many seconds.
FAILURES_MAX = 10
FAILURE_S = 6.0
# For so long a password that was right is not computed again: that takes 50 ms and 64 MiB.
_KNOWN_S = 60.0
_KNOWN_MAX = 1000
_LOOK_S = 1.0
_CHALLENGE = {"WWW-Authenticate": 'Basic realm="kmirror", charset="UTF-8"'}


class UserSource(Protocol):
    """Whoever says who may call."""

    def users(self) -> Users:
        """Return them as they are now."""
        ...


class UsersFile:
    """
    The file of users, read again when it changes; a wrong one changes nothing.

    Args:
        path: The file.
        clock: Where time comes from.

    Raises:
        ConfigError: It cannot be used.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._watch = FileWatch([path])
        self._users = read_users(path)
        self._looked_s = clock.monotonic_s()

    def users(self) -> Users:
        """Return everybody who may call."""
        now_s = self._clock.monotonic_s()
        if now_s - self._looked_s >= _LOOK_S:
            self._looked_s = now_s
            if self._watch.has_changed():
                try:
                    self._users = read_users(self._path)
                except ConfigError as error:
                    emit(USERS_REFUSED, error=error)
        return self._users


class Login:
    """
    Finds out who asks.

    Args:
        source: Who may call; `None` for everybody.
        anonymous: What those may who do not say who they are; `None` for nothing.
        principals: Names for the subjects of certificates.
        clock: Where time comes from.
    """

    def __init__(
        self,
        source: UserSource | None,
        *,
        anonymous: Role | None,
        principals: PrincipalRules,
        clock: Clock,
    ) -> None:
        self._source = source
        self._anonymous = anonymous
        self._principals = principals
        self._clock = clock
        self._failures = AddressThrottle(burst=FAILURES_MAX, per_s=1 / FAILURE_S, clock=clock)
        self._lock = threading.Lock()
        # Memory for passwords is needed once, however many try at a time.
        self._computing = threading.Semaphore(1)
        self._known: dict[bytes, tuple[User, float]] = {}
        self._known_of = Users()
        self._secret = os.urandom(32)

    def caller(self, authorization: str | None, subject: str | None, address: str) -> Caller:
        """
        Return who asks.

        Args:
            authorization: The header.
            subject: Of the client's certificate, which was checked.
            address: Where the request comes from.

        Raises:
            HttpProblem: Nobody who may.
        """
        users = Users() if self._source is None else self._source.users()
        if authorization is not None and self._source is not None:
            return self._by_header(authorization, users, address)
        if subject is not None:
            name = self._principals.name(subject)
            user = None if name is None else users.certificates.get(name)
            if user is not None:
                return Caller(name=user.name, role=user.role, address=address)
        if self._anonymous is None:
            raise HttpProblem(HTTPStatus.UNAUTHORIZED, headers=_CHALLENGE)
        return Caller(name=ANONYMOUS, role=self._anonymous, address=address)

    def _by_header(self, authorization: str, users: Users, address: str) -> Caller:
        with self._lock:
            wait_s = self._failures.wait_s(address)
        if wait_s:
            retry = {"Retry-After": str(wait_s)}
            raise HttpProblem(HTTPStatus.TOO_MANY_REQUESTS, headers=retry)
        user = self._user(authorization, users)
        if user is None:
            with self._lock:
                self._failures.take(address)
            emit(LOGIN_REFUSED, address=address)
            raise HttpProblem(HTTPStatus.UNAUTHORIZED, headers=_CHALLENGE)
        return Caller(name=user.name, role=user.role, address=address)

    def _user(self, authorization: str, users: Users) -> User | None:
        scheme, _, text = authorization.partition(" ")
        if scheme.lower() == "bearer":
            return users.by_token(text.strip())
        if scheme.lower() != "basic":
            return None
        try:
            name, colon, password = (
                base64.b64decode(text.strip(), validate=True).decode().partition(":")
            )
        except ValueError:
            # No base64, no UTF-8, or bytes that no header should have.
            return None
        return self._by_password(name, password, users) if colon else None

    def _by_password(self, name: str, password: str, users: Users) -> User | None:
        spoken = f"{name}:{password}".encode()
        digest = hmac.digest(self._secret, spoken, hashlib.sha256)
        now_s = self._clock.monotonic_s()
        with self._lock:
            if self._known_of is not users:
                self._known_of, self._known = users, {}
            user, until_s = self._known.get(digest, (None, 0.0))
        if user is not None and now_s < until_s:
            return user
        with self._computing:
            user = users.by_password(name, password)
        if user is not None:
            with self._lock:
                if len(self._known) >= _KNOWN_MAX:
                    self._known.clear()
                if self._known_of is users:
                    self._known[digest] = (user, now_s + _KNOWN_S)
        return user


def login_of(
    users_file: Path | None, anonymous_role: str, principals: PrincipalRules, clock: Clock
) -> Login:
    """
    Return a login as a server's settings have it.

    Args:
        users_file: The file of those who may call; `None` for everybody.
        anonymous_role: What those may who do not say who they are: `none`, or the name of a role.
        principals: Names for the subjects of certificates.
        clock: Where time comes from.

    Raises:
        ConfigError: The file cannot be used.
    """
    return Login(
        None if users_file is None else UsersFile(users_file, clock),
        anonymous=None if anonymous_role == "none" else Role[anonymous_role.upper()],
        principals=principals,
        clock=clock,
    )


def readers_login(users_file: Path | None, clock: Clock) -> Login:
    """
    Return a login where everybody in a file may read; without a file, everybody.

    Args:
        users_file: The file.
        clock: Where time comes from.

    Raises:
        ConfigError: It cannot be used.
    """
    anonymous_role = "viewer" if users_file is None else "none"
    return login_of(users_file, anonymous_role, PrincipalRules(), clock)
