"""The events of the REST server; part of the table."""

from __future__ import annotations

from logging import ERROR, INFO, WARNING

from kmirror.events.event import Event

SERVER_LISTENING = Event(
    name="server.listening",
    level=INFO,
    text="serving Connect's REST API at {address}",
    meaning="Connectors can be read and changed over HTTP; see [the REST API](connect-rest.md).",
)
SERVER_UNPROTECTED = Event(
    name="server.unprotected",
    level=WARNING,
    text="{address}: {reason}",
    meaning="Others can reach the REST API without TLS, or without a login.",
    action="Do what it says; `kmirror.rest.insecure = false` makes it an error. See "
    "[REST security](rest-security.md).",
)
REQUEST_ANSWERED = Event(
    name="request.answered",
    level=INFO,
    text="{caller} ({role}) at {address}: {method} {path}: {http_status}",
    meaning="Somebody has changed something over REST, or has tried to: the audit log.",
)
REQUEST_CRASHED = Event(
    name="request.crashed",
    level=ERROR,
    text="{path}: unexpected ({number})",
    more=("error",),
    meaning="A request met an error that nobody foresaw; its answer has the number, and no trace.",
    action="Report it with the trace, which follows the line, or is in `exception`.",
)

LOGIN_REFUSED = Event(
    name="login.refused",
    level=WARNING,
    text="{address}: a wrong name, password or token",
    meaning="Somebody has tried to call the REST API, and is not who they say. After ten of these "
    "an address may try once in six seconds.",
    action="Find out who that is, if it goes on.",
)
USERS_REFUSED = Event(
    name="users.refused",
    level=ERROR,
    text="the file of users has changed, and is not used: {error}",
    meaning="Those of before may still call, and nobody else.",
    action="Mend what it names; the file is read again by itself.",
)
CERTIFICATE_RELOADED = Event(
    name="certificate.reloaded",
    level=INFO,
    text="{address}: the certificate has changed, and is used from now on",
    meaning="The key store of an `https` listener was read again.",
)
CERTIFICATE_REFUSED = Event(
    name="certificate.refused",
    level=ERROR,
    text="{address}: the certificate has changed, and is not used: {error}",
    meaning="The key store of an `https` listener cannot be read; the certificate of before is "
    "still used.",
    action="Mend what it names; the files are read again by themselves.",
)

REST_EVENTS = (
    SERVER_LISTENING,
    SERVER_UNPROTECTED,
    REQUEST_ANSWERED,
    REQUEST_CRASHED,
    LOGIN_REFUSED,
    USERS_REFUSED,
    CERTIFICATE_RELOADED,
    CERTIFICATE_REFUSED,
)
