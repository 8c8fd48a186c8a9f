"""Who asks for something, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from kmirror.errors import NotAllowed


class Role(IntEnum):
    """What somebody may do; who may more may also what those before may."""

    VIEWER = 1
    OPERATOR = 2
    ADMIN = 3

    @property
    def label(self) -> str:
        """What files and people call it."""
        return self.name.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """
    Who asks.

    Args:
        name: Of a person or a program, as they have proved it.
        role: What they may do.
        address: Where the request came from.
    """

    name: str
    role: Role
    address: str

    def __str__(self) -> str:
        return f"{self.name}@{self.address}"

    def require(self, role: Role, action: str) -> None:
        """
        Refuse *action* to whoever may not.

        Raises:
            NotAllowed: The role is a lesser one.
        """
        if self.role < role:
            raise NotAllowed(
                f"{self.name} may not {action}: that needs the role {role.label}, "
                f"and this is a {self.role.label}"
            )
