"""What whoever orders something has to type: the flow's name again, and why."""

from __future__ import annotations

from kmirror.config.flows import FlowConfig
from kmirror.errors import OrderRefused, one_line


def require_name(config: FlowConfig, flow: str) -> None:
    """
    Refuse an order for which another flow was named.

    Args:
        config: The flow.
        flow: Its name, as it was typed.

    Raises:
        OrderRefused: That is another name.
    """
    if flow != str(config.flow):
        raise OrderRefused(f"the flow's name is {config.flow}, and not {flow}")


def reason_of(reason: str) -> str:
    """
    Return why something is ordered, in a line: it is read in logs and on terminals, too.

    Args:
        reason: What was typed; a form's has lines.

    Raises:
        OrderRefused: That is no reason.
    """
    if not reason.strip():
        raise OrderRefused("say why: the reason is what others read later")
    return one_line(" ".join(reason.split()))
