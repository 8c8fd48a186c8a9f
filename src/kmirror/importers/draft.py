"""A properties file while it is being made of another system's settings."""

from __future__ import annotations

from dataclasses import replace

from kmirror.config.keys.table import is_secret_name
from kmirror.config.place import ARROW
from kmirror.importers.outcome import Fate, Line, Outcome
from kmirror.importers.setting import Setting, wrong
from kmirror.model import Flow

TRANSFORMS = ("transforms", "predicates")
DECIDES = ("topics", "topic.filter.", "replication.policy.", *TRANSFORMS)
"""Beginnings of a flow's keys: without them other topics are copied, by other names, or records."""


class Draft:
    """
    Collects lines, and what became of each setting.

    A key has one line: the first one stays, and a setting that wants another value is told so. One
    of a setting with an old name gives way to that of today's.

    Args:
        providers_elsewhere: Config providers that the settings name may be defined in a file that
            was not given.
    """

    def __init__(self, *, providers_elsewhere: bool = True) -> None:
        self.providers_elsewhere = providers_elsewhere
        self._lines: dict[str, Line] = {}
        self._outcomes: list[Outcome] = []
        # By line, the settings that asked for it.
        self._asked: dict[str, list[int]] = {}
        self._aliases: dict[str, None] = {}
        self._remarks: dict[str, None] = {}
        self._flows: dict[Flow, None] = {}
        self._held: dict[Flow, None] = {}

    @property
    def lines(self) -> tuple[Line, ...]:
        """All lines, `clusters` the first."""
        written = tuple(self._lines.values())
        if "clusters" in self._lines or not self._aliases:
            return written
        return (Line(key="clusters", text=", ".join(self._aliases)), *written)

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What became of the settings."""
        return tuple(self._outcomes)

    @property
    def aliases(self) -> tuple[str, ...]:
        """The clusters, in the order in which they were named."""
        return tuple(self._aliases)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else there is to know."""
        return tuple(self._remarks)

    def cluster(self, alias: str) -> None:
        """
        Name a cluster.

        Raises:
            ConfigError: `clusters` cannot hold that name.
        """
        if not alias or alias != alias.strip() or any(part in alias for part in (",", ARROW, "${")):
            raise wrong(
                "clusters", "alias", f"expected a name without blanks, commas and {ARROW}", alias
            )
        self._aliases.setdefault(alias)

    def flow(self, flow: Flow) -> None:
        """Name the clusters of a flow, and switch it on."""
        self.cluster(flow.source)
        self.cluster(flow.target)
        self._flows.setdefault(flow)
        self._lines.setdefault(f"{flow}.enabled", Line(key=f"{flow}.enabled", text="true"))

    def text(self, key: str) -> str | None:
        """Return the value of a line; None for one that is not there."""
        line = self._lines.get(key)
        return None if line is None or line.refused else line.text

    def write(
        self,
        setting: Setting,
        key: str,
        text: str | None = None,
        *,
        differs: str = "",
        is_old: bool = False,
    ) -> None:
        """
        Make a line of a setting.

        Args:
            setting: The setting.
            key: The line's key.
            text: The line's value, if it is not the setting's.
            differs: How kmirror does something else with it.
            is_old: It has an old name, which counts only where today's is not set.
        """
        if setting.no_text:
            self._add(setting, Fate.UNSUPPORTED, (key,), "")
            return
        line = Line(
            key=key,
            text=setting.text if text is None else text,
            setting=setting,
            secret=setting.secret or is_secret_name(key),
            is_old=is_old,
        )
        earlier = self._lines.setdefault(key, line)
        if earlier.is_old and not is_old:
            earlier = self._lines[key] = line
            for at in self._asked.pop(key, ()):
                says = f"has no effect: {setting.key} is set, too"
                self._outcomes[at] = replace(
                    self._outcomes[at], fate=Fate.DIFFERENT, lines=(), says=says
                )
        if earlier.text != line.text:
            whose = "" if earlier.setting is None else f", by {earlier.setting.where}"
            differs = f"has no effect: {key} is {earlier.shown} already{whose}"
        fate = Fate.DIFFERENT if differs else Fate.EQUAL
        self._add(setting, fate, (key,), differs)

    def add(
        self,
        key: str,
        text: str,
        because: str,
        *,
        secret: bool | None = None,
        setting: Setting | None = None,
    ) -> None:
        """
        Add a line that no setting asked for by itself, unless there is one.

        Args:
            key: Its key.
            text: Its value.
            because: Why it is there.
            secret: Whether the value must not be shown; otherwise the key says so.
            setting: The first of the settings that ask for it together.
        """
        hidden = is_secret_name(key) if secret is None else secret
        line = Line(key=key, text=text, because=because, secret=hidden, setting=setting)
        self._lines.setdefault(key, line)

    def hold(self, flow: Flow) -> None:
        """Have a flow copy nothing until somebody has decided what kmirror cannot."""
        self._held.setdefault(flow)

    @property
    def held(self) -> tuple[Flow, ...]:
        """The flows that copy nothing yet."""
        return tuple(self._held)

    @property
    def flows(self) -> tuple[Flow, ...]:
        """The flows that were switched on."""
        return tuple(self._flows)

    def replace(self, key: str, text: str, because: str = "") -> None:
        """Give a line another value; make it, if there is none."""
        line = self._lines.get(key, Line(key=key, text=text))
        self._lines[key] = replace(line, text=text, because=because or line.because, refused="")

    def equal(self, setting: Setting, says: str = "", *keys: str) -> None:
        """Say that kmirror does the same, by *keys* or without any line."""
        self._add(setting, Fate.EQUAL, keys, says)

    def differs(self, setting: Setting, says: str, *keys: str) -> None:
        """Say that kmirror does something else, and what."""
        self._add(setting, Fate.DIFFERENT, keys, says)

    def refuse(self, setting: Setting, says: str, *keys: str) -> None:
        """Say that kmirror cannot do it, why, and what to do instead."""
        self._add(setting, Fate.UNSUPPORTED, keys, says)

    def drop(self, key: str, why: str) -> None:
        """Take back a line that kmirror would not start with."""
        self._lines[key] = replace(self._lines[key], refused=why)
        self._judge(key, Fate.UNSUPPORTED, why)
        for at in self._asked.pop(key, ()):
            kept = tuple(name for name in self._outcomes[at].lines if name != key)
            self._outcomes[at] = replace(self._outcomes[at], lines=kept)

    def lacks(self, key: str, says: str) -> None:
        """Say of a line that it needs something that kmirror cannot get by itself."""
        self._judge(key, Fate.UNSUPPORTED, says)

    def doubt(self, key: str, says: str) -> None:
        """Say how kmirror does something else with a line."""
        self._judge(key, Fate.DIFFERENT, says)

    def note(self, key: str, says: str) -> None:
        """Say something of a line, whose fate it does not change."""
        self._judge(key, None, says)

    def remark(self, words: str) -> None:
        """Say something that belongs to no setting; the same thing twice counts once."""
        self._remarks.setdefault(words)

    def _add(self, setting: Setting, fate: Fate, keys: tuple[str, ...], says: str) -> None:
        if setting.no_text:
            self._hold_without(keys)
            fate, keys, says = Fate.UNSUPPORTED, (), f"expected a text, not {setting.no_text}"
        for earlier in setting.earlier:
            words = f"has no effect: {setting.where} sets it again"
            told = Outcome(setting=earlier, fate=Fate.EQUAL, says=words)
            if told not in self._outcomes:
                self._outcomes.append(told)
        for key in keys:
            self._asked.setdefault(key, []).append(len(self._outcomes))
        self._outcomes.append(Outcome(setting=setting, fate=fate, lines=keys, says=says))

    def _hold_without(self, keys: tuple[str, ...]) -> None:
        """Hold the flows that a line would be for, which may copy something else without it."""
        for flow in self._flows:
            own = [key.removeprefix(f"{flow}.") for key in keys if key.startswith(f"{flow}.")]
            if any(name.startswith(DECIDES) for name in own):
                self.hold(flow)

    def _judge(self, key: str, fate: Fate | None, says: str) -> None:
        for at in self._asked.get(key, ()):
            self._outcomes[at] = _judged(self._outcomes[at], fate, says)


def _judged(outcome: Outcome, fate: Fate | None, says: str) -> Outcome:
    known = outcome.says.split("; ")
    words = outcome.says if says in known else "; ".join(filter(None, (outcome.says, says)))
    worse = fate is Fate.UNSUPPORTED or (fate is not None and outcome.fate is Fate.EQUAL)
    return replace(outcome, fate=fate if worse and fate else outcome.fate, says=words)
