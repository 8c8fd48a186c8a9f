"""`kmirror user`: a line of the file that says who may call a Connect worker over REST."""

from __future__ import annotations

import secrets
import sys
from enum import StrEnum
from getpass import getpass
from typing import Annotated

import typer

from kmirror.cli.exits import Exit
from kmirror.cli.terminal import complain, refuse
from kmirror.control.caller import Role
from kmirror.server.users import CERTIFICATE, password_hash, token_digest

_PASSWORD_LENGTH_MIN = 12
_TOKEN_BYTES = 32


class RoleName(StrEnum):
    """What `--role` takes."""

    VIEWER = Role.VIEWER.label
    OPERATOR = Role.OPERATOR.label
    ADMIN = Role.ADMIN.label


def user(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Who it is; the name of a certificate.")
    ],
    role: Annotated[
        RoleName,
        typer.Option(
            help="viewer: read. operator: also pause, resume, stop and restart. admin: everything."
        ),
    ] = RoleName.VIEWER,
    token: Annotated[
        bool, typer.Option("--token", help="With a new bearer token, and not with a password.")
    ] = False,
    certificate: Annotated[
        bool, typer.Option("--certificate", help="With a client certificate.")
    ] = False,
) -> None:
    """
    Print a line for the file that kmirror.rest.users.file names.

    The password is asked for, or read from standard input. A token is shown once, on standard
    error; the line has its digest. Append the line to the file, which must have mode 0600; a
    running worker takes the change by itself:

    kmirror user alice --role operator >> users
    """
    if not name.isprintable() or not name.strip():
        refuse("NAME: expected characters that can be printed")
    if certificate:
        credential = CERTIFICATE
    elif token:
        text = secrets.token_urlsafe(_TOKEN_BYTES)
        complain(f"the token of {name}, shown only now: {text}")
        credential = token_digest(text)
    else:
        credential = password_hash(_password(name))
    print(f"{name}:{role}:{credential}")
    raise SystemExit(Exit.OK)


def _password(name: str) -> str:
    if ":" in name:
        refuse("NAME: expected no colon; HTTP's Basic has none in names with a password")
    if sys.stdin.isatty():
        password = getpass("password: ")
        if getpass("again: ") != password:
            refuse("these were two passwords")
    else:
        password = sys.stdin.readline().rstrip("\r\n")
    if len(password) < _PASSWORD_LENGTH_MIN:
        refuse(f"expected a password of at least {_PASSWORD_LENGTH_MIN} characters")
    return password
