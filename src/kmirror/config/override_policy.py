"""Which settings of the worker's clients connectors may override (KIP-458, KIP-1188)."""

from __future__ import annotations

from dataclasses import dataclass

_PRINCIPAL = frozenset({"sasl.jaas.config", "sasl.mechanism", "security.protocol"})


@dataclass(frozen=True, slots=True, kw_only=True)
class OverridePolicy:
    """
    `connector.client.config.override.policy`.

    Args:
        name: None, All, Principal or Allowlist.
        allowlist: With Allowlist: the names of what may be overridden.
    """

    name: str
    allowlist: tuple[str, ...] = ()

    def refusal(self, setting: str) -> str | None:
        """Return why a client's setting may not be overridden, in Connect's words."""
        allowed = {
            "All": True,
            "Principal": setting in _PRINCIPAL,
            "Allowlist": setting in self.allowlist,
        }
        if allowed.get(self.name, False):
            return None
        return (
            f"The '{self.name}' policy does not allow '{setting}' to be overridden in the "
            "connector configuration."
        )
