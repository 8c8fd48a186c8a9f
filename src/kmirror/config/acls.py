"""What the file says about ACLs."""

from __future__ import annotations

from dataclasses import dataclass

from kmirror.config.acl_principals import read_principals
from kmirror.config.consumers import interval_s
from kmirror.config.settings import Settings

_ENABLED = "sync.topic.acls.enabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class AclsConfig:
    """
    A flow's settings for ACLs.

    Args:
        interval_s: How often they are compared; `None` for never.
        is_asked: The file asks for them itself: that a right is missing is a failure then, and no
            more than a note otherwise.
        is_exact: They follow the source's exactly, instead of by MirrorMaker 2's rules.
        principals: Pairs of a principal on the source and the same one on the target.
        allows_write: Who may write to a topic may write to its copy.
    """

    interval_s: float | None
    is_asked: bool = False
    is_exact: bool = False
    principals: tuple[tuple[str, str], ...] = ()
    allows_write: bool = False

    def __str__(self) -> str:
        if self.interval_s is None:
            return "never"
        words = ["exact" if self.is_exact else "mm2", f"every {self.interval_s:g} s"]
        words += ["asked for"] if self.is_asked and not self.is_exact else []
        words += [f"{ours} is {theirs}" for ours, theirs in self.principals]
        return ", ".join([*words, *(["with Write"] if self.allows_write else [])])


NO_ACLS = AclsConfig(interval_s=None)


def build_acls(settings: Settings) -> AclsConfig:
    """Read a flow's settings for ACLs."""
    if settings.text("kmirror.acls") != "exact":
        interval = interval_s(settings, "sync.topic.acls")
        return AclsConfig(
            interval_s=interval, is_asked=interval is not None and settings.has(_ENABLED)
        )
    if not settings.flag(_ENABLED):
        return NO_ACLS
    return AclsConfig(
        interval_s=float(settings.number("kmirror.acls.interval.seconds")),
        is_asked=True,
        is_exact=True,
        principals=read_principals(settings.texts("kmirror.acls.principals")),
        allows_write=settings.flag("kmirror.acls.write"),
    )
