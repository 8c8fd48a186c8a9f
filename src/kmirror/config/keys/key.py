"""One setting of the properties file: its name, type, limits, words, and how its text is read."""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Callable
from dataclasses import dataclass


class KeyType(enum.Enum):
    """Kafka's `ConfigDef.Type`; the value is the word the documentation uses."""

    BOOLEAN = "boolean"
    SHORT = "short"
    INT = "int"
    LONG = "long"
    DOUBLE = "double"
    STRING = "string"
    LIST = "list"
    REGEXES = "list of regexes"
    CLASS = "class"
    PASSWORD = "password"


class Scope(enum.Enum):
    """Where in the file a key has an effect; the value is the form to write."""

    DRIVER = "key"
    CLUSTER = "key, A.key, A.consumer.key, A.producer.key, A.admin.key"
    WORKER = "T.key"
    WORKER_OR_TOP = "key, T.key"
    FLOW = "key, S->T.key"
    FLOW_ONLY = "S->T.key"
    EVERYWHERE = "key, T.key, S->T.key"


Value = bool | int | float | str | tuple[str, ...]

_BITS = {KeyType.SHORT: 16, KeyType.INT: 32, KeyType.LONG: 64}
_INTEGER = re.compile(r"[+-]?[0-9]+")
# `Double.parseDouble` without its hexadecimal numbers.
_DECIMAL = re.compile(r"([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,5})?)[fFdD]?")
# What `String.trim` takes away; Python's `strip` takes more.
BLANKS = "".join(map(chr, range(33)))
_COMMA = re.compile(r"\s*,\s*")


class ValueProblem(ValueError):
    """A text that is not a valid value of its key; the message says what is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """
    One row of the table of keys.

    Args:
        name: As Kafka calls it, without any prefix.
        type: How the text is read.
        default: The value when the file does not say; None when there is none.
        doc: What it does, for the documentation.
        scope: Where it may be written.
        low, high: The range of a number.
        also: Numbers outside the range that are allowed all the same.
        choices: The only texts allowed.
        any_case: The choices may be written in any case.
        check: Raises ValueProblem for a value that its type and range allow.
        secret: The value is never shown.
        active: False for what is accepted and checked, but does nothing yet.
        replaced_by: For an old name, the new one.
        mm2_default: The default in MirrorMaker 2, where ours differs.
        why: Why our default differs.
    """

    name: str
    type: KeyType
    doc: str
    scope: Scope
    default: Value | None = None
    low: float | None = None
    high: float | None = None
    also: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()
    any_case: bool = False
    check: Callable[[Value], None] | None = None
    secret: bool = False
    active: bool = True
    replaced_by: str | None = None
    mm2_default: str | None = None
    why: str = ""

    def parse(self, text: str) -> Value:
        """
        Return the value that *text* stands for, read as Kafka's `ConfigDef.parseType` does.

        Raises:
            ValueProblem: with what was expected.
        """
        value = self._typed(text.strip(BLANKS))
        if isinstance(value, str) and self.choices:
            value = self._chosen(value)
        if isinstance(value, tuple) and self.choices:
            value = tuple(self._chosen(item) for item in value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self._ranged(value)
        if self.check is not None:
            self.check(value)
        return value

    def as_clients_read(self, text: str) -> str:
        """
        *text*, which is a value, in the form that every Kafka client takes.

        They do not trim a text that is one of several, and refuse lists with empty or equal parts.
        """
        value = self._typed(text.strip(BLANKS))
        if isinstance(value, tuple):
            return ",".join(value)
        if self.type is KeyType.STRING and not self.choices:
            return text
        return self._chosen(str(value)) if self.choices else text.strip(BLANKS)

    def _typed(self, text: str) -> Value:
        if self.type is KeyType.BOOLEAN:
            if text.lower() not in ("true", "false"):
                raise ValueProblem("expected true or false")
            return text.lower() == "true"
        if self.type in _BITS:
            return self._integer(text)
        if self.type is KeyType.DOUBLE:
            found = _DECIMAL.fullmatch(text)
            if found is None:
                raise ValueProblem(f"expected a number{self._range_text()}")
            return float(found[1])
        if self.type in (KeyType.LIST, KeyType.REGEXES):
            return split_list(text)
        return text

    def _integer(self, text: str) -> int:
        limit = 1 << (_BITS[self.type] - 1)
        # 20 characters hold every 64-bit number; int() of a book would take its time.
        if not _INTEGER.fullmatch(text) or len(text) > 20:
            raise ValueProblem(f"expected a whole number{self._range_text()}")
        number = int(text)
        if not -limit <= number < limit:
            raise ValueProblem(f"expected a whole number of {_BITS[self.type]} bits")
        return number

    def _ranged(self, number: float) -> None:
        too_low = self.low is not None and number < self.low
        too_high = self.high is not None and number > self.high
        if (too_low or too_high or not math.isfinite(number)) and number not in self.also:
            raise ValueProblem(f"expected a number{self._range_text()}")

    def _range_text(self) -> str:
        words = ""
        if self.low is not None and self.high is not None:
            words = f" from {self.low} to {self.high}"
        elif self.low is not None:
            words = f" of at least {self.low}"
        return words + "".join(f", or {number}" for number in self.also)

    def _chosen(self, text: str) -> str:
        for choice in self.choices:
            if text == choice or (self.any_case and text.lower() == choice.lower()):
                return choice
        raise ValueProblem(f"expected one of {', '.join(self.choices)}")


def split_list(text: str) -> tuple[str, ...]:
    """
    Split a Kafka LIST at commas, and drop blanks around the parts.

    A part given twice counts once and an empty part not at all: Kafka 4.2 and later warns of
    the first and refuses the second, earlier versions took both.
    """
    return tuple(dict.fromkeys(part for part in _COMMA.split(text.strip()) if part))


def list_oddity(text: str) -> str | None:
    """Say what is odd about a LIST that is read all the same."""
    parts = _COMMA.split(text.strip())
    if len(parts) > 1 and not all(parts):
        return "an empty part is ignored (Kafka 4.2 and later refuses it)"
    if len(set(parts)) < len(parts):
        return "a part given twice counts once"
    return None
