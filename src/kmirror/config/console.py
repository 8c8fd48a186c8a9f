"""What a file says of the console: where it is served, and for whom."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kmirror.config.entry import Entries, Findings
from kmirror.config.metrics import listener_at
from kmirror.config.server import Listener
from kmirror.config.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleConfig:
    """
    How a console is served.

    Args:
        listener: Where; `None` for nowhere.
        users_file: Who may use it; `None` for everybody who reaches the address.
        anonymous_role: What those may who do not log in: `none`, or the name of a role.
        hosts: More names of it.
        report_key: The private key that it signs reports of audits with; `None` for none.
        records_role: Who may look at records: `none`, `operator` or `admin`.
        history_file: Where a driver keeps how flows were; `None` for nowhere.
    """

    listener: Listener | None = None
    users_file: Path | None = None
    anonymous_role: str = "viewer"
    hosts: tuple[str, ...] = ()
    report_key: Path | None = None
    records_role: str = "operator"
    history_file: Path | None = None


NO_CONSOLE = ConsoleConfig()


def read_console(file: Entries, findings: Findings) -> ConsoleConfig:
    """
    Read what a file says of the console.

    Args:
        file: Its lines, references expanded.
        findings: Receives what is wrong.
    """
    settings = Settings(file, findings)
    address = settings.text_or_none("kmirror.console")
    users = settings.text_or_none("kmirror.console.users.file")
    key = settings.text_or_none("kmirror.console.report.key")
    history = settings.text_or_none("kmirror.console.history.file")
    return ConsoleConfig(
        listener=None if address is None else listener_at(address),
        users_file=Path(users) if users else None,
        anonymous_role=settings.text_or_none("kmirror.console.anonymous.role")
        or ("none" if users else "viewer"),
        hosts=settings.texts("kmirror.console.hosts"),
        report_key=Path(key) if key else None,
        records_role=settings.text("kmirror.console.records.role"),
        history_file=Path(history) if history else None,
    )
