"""What a file of another system says: where a key came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kmirror.config.keys.table import is_secret
from kmirror.config.properties import FILE_BYTES_MAX, MalformedProperties, read
from kmirror.config.secret import HIDDEN
from kmirror.errors import ConfigError, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """
    A file of another system.

    Args:
        name: As it was named, for messages.
        text: All of it; may hold secrets.
    """

    name: str
    text: str = field(repr=False)

    @property
    def is_json(self) -> bool:
        """Whether it can only be JSON."""
        return self.text.lstrip("\ufeff \t\r\n").startswith(("{", "["))


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """
    One setting of another system.

    Args:
        key: As written.
        text: The value.
        where: `file:line`, or the file and the JSON path.
        earlier: Lines of the same key before it, which have no effect.
        no_text: What stands where a text is expected: `a list` or `a mapping`; empty for a text.
    """

    key: str
    text: str = field(repr=False)
    where: str
    earlier: tuple[Setting, ...] = ()
    no_text: str = ""

    @property
    def secret(self) -> bool:
        """Whether the value must not be shown."""
        return is_secret(self.key, self.text)

    @property
    def shown(self) -> str:
        """The value, for people."""
        return HIDDEN if self.secret else self.text

    @property
    def yes(self) -> bool:
        """Whether the value is `true`, in any case."""
        return self.text.strip().lower() == "true"


def wrong(where: str, key: str, expected: str, value: str | None = None) -> ConfigError:
    """Return the error of a file that cannot be read."""
    return ConfigError((Problem(where=where, key=key, value=value, expected=expected),))


def read_properties(file: SourceFile) -> tuple[Setting, ...]:
    """
    Return the lines of a properties file in order; the last one counts where a key is given twice.

    Raises:
        ConfigError: It is none.
    """
    check_size(file)
    try:
        items = read(file.text)
    except MalformedProperties as problem:
        raise wrong(f"{file.name}:{problem.line}", "file", str(problem)) from problem
    found: dict[str, Setting] = {}
    for item in items:
        last = found.pop(item.key, None)
        earlier = () if last is None else (*last.earlier, replace(last, earlier=()))
        where = f"{file.name}:{item.line}"
        found[item.key] = Setting(key=item.key, text=item.value, where=where, earlier=earlier)
    return tuple(found.values())


def check_size(file: SourceFile) -> None:
    """Refuse a file that is too large to be one of settings."""
    if len(file.text) > FILE_BYTES_MAX:
        raise wrong(file.name, "file", f"is larger than {FILE_BYTES_MAX} characters")
