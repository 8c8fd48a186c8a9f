"""One client's settings, or one group of others: what the file says and what holds without it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kmirror.config.client_defaults import CONSUMER_DEFAULTS, PRODUCER_DEFAULTS, values
from kmirror.config.entry import Entries, Entry
from kmirror.config.secret import HIDDEN
from kmirror.tune.finding import BOTH, MM2_ONLY, Line, Program, Setting
from kmirror.tune.link import INT_MAX

_IN_FLIGHT = "max.in.flight.requests.per.connection"
_KAFKA_PRODUCER: dict[str, str] = {
    "acks": "all",
    "batch.size": "16384",
    "buffer.memory": "33554432",
    "compression.type": "none",
    "delivery.timeout.ms": "120000",
    "enable.idempotence": "true",
    "linger.ms": "5",
    _IN_FLIGHT: "5",
    "max.request.size": "1048576",
    "request.timeout.ms": "30000",
    "retries": str(INT_MAX),
    "send.buffer.bytes": "131072",
}
# What Connect's worker, which runs MM2, sets differently.
_CONNECT_PRODUCER = {
    "delivery.timeout.ms": str(INT_MAX),
    "enable.idempotence": "false",
    _IN_FLIGHT: "1",
}
_KAFKA_CONSUMER = {
    "fetch.max.bytes": "52428800",
    "fetch.max.wait.ms": "500",
    "fetch.min.bytes": "1",
    "isolation.level": "read_uncommitted",
    "max.partition.fetch.bytes": "1048576",
    "max.poll.records": "500",
    "receive.buffer.bytes": "65536",
    "request.timeout.ms": "30000",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """The defaults of either program."""

    mm2: Mapping[str, str]
    kmirror: Mapping[str, str]


PRODUCER = Defaults(
    mm2=_KAFKA_PRODUCER | _CONNECT_PRODUCER,
    kmirror=_KAFKA_PRODUCER | values(PRODUCER_DEFAULTS),
)
CONSUMER = Defaults(
    mm2=_KAFKA_CONSUMER,
    kmirror=_KAFKA_CONSUMER | values(CONSUMER_DEFAULTS) | {"isolation.level": "read_committed"},
)
WORKER = Defaults(
    mm2={"offset.flush.interval.ms": "60000", "exactly.once.source.support": "disabled"},
    kmirror={},
)
CONNECTOR = Defaults(
    mm2={"tasks.max": "1"},
    kmirror={"kmirror.commit.interval.ms": "100", "kmirror.exactly.once": "true"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """
    The settings of one client of a flow, of its worker, or of its connectors.

    A number whose text is hidden or no number is not judged: it reads as None.

    Args:
        entries: What the file says, by bare name; each knows its line.
        defaults: What holds otherwise.
        prefix: What stands before a bare name when a line is added.
        flow_prefix: What lines of this flow alone begin with.
        shared: Lines that do not begin so count for other flows, too.
        applied: What kmirror does with a line that it does not obey, by bare name.
    """

    entries: Entries
    defaults: Defaults
    prefix: str
    flow_prefix: str
    shared: bool
    applied: Mapping[str, str]

    def entry(self, name: str) -> Entry | None:
        """Return the line that counts for *name*."""
        return self.entries.get(name)

    def text(self, name: str) -> str | None:
        """Return what MM2 uses; None when the value is hidden."""
        entry = self.entries.get(name)
        if entry is None:
            return self.defaults.mm2.get(name)
        return None if _is_hidden(entry) else entry.text.strip()

    def number(self, name: str) -> int | None:
        """Return what MM2 uses, as a number."""
        return _number(self.text(name))

    def kmirror_number(self, name: str) -> int | None:
        """Return what kmirror's client uses: the file's value, or kmirror's default."""
        if name in self.entries:
            return self.number(name)
        return _number(self.defaults.kmirror.get(name))

    def line(self, name: str) -> Line:
        """Return the setting as a finding shows it."""
        entry = self.entries.get(name)
        if entry is None:
            default = self.defaults.mm2.get(name, self.defaults.kmirror.get(name, ""))
            return Line(key=self.prefix + name, value=default, where=None)
        shown = HIDDEN if _is_hidden(entry) else entry.text.strip()
        return Line(key=entry.key, value=shown, where=entry.where)

    def setting(self, name: str, value: int | str) -> Setting:
        """
        Return a line that sets another value of *name* for this flow.

        The line that counts now is written anew where that concerns no other flow.
        """
        entry = self.entries.get(name)
        if entry is not None and (not self.shared or entry.key.startswith(self.flow_prefix)):
            return Setting(key=entry.key, value=str(value))
        return Setting(key=self.prefix + name, value=str(value))

    def concerns(self, *names: str) -> frozenset[Program]:
        """To whom these settings matter: kmirror has its own defaults, and does not obey all."""
        obeyed = any(name in self.entries and name not in self.applied for name in names)
        return BOTH if obeyed else MM2_ONLY

    def kmirror_text(self, name: str) -> str:
        """Return what kmirror does with the file's value."""
        if name not in self.entries:
            return ""
        return self.applied.get(name, "obeyed")


def _is_hidden(entry: Entry) -> bool:
    return entry.secret or "${" in entry.text


def _number(text: str | None) -> int | None:
    digits = (text or "").strip()
    sign, digits = (-1, digits[1:]) if digits.startswith("-") else (1, digits)
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
        return None
    return sign * int(digits)
