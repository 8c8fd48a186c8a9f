"""Asks the driver of a flow to read its file again, wherever it runs."""

from __future__ import annotations

from kmirror.admin.base import ClusterAdmin
from kmirror.admin.owner_entry import read_owner
from kmirror.config.flows import FlowConfig
from kmirror.control.channel import ControlChannel
from kmirror.model import Flow
from kmirror.wire.control_orders import Reloaded, ReloadOrder


class ReloadRequest:
    """
    A request to the driver of one flow.

    Args:
        config: The flow.
        target: The target's control plane.
        channel: Where orders are written, and answers.
    """

    def __init__(self, config: FlowConfig, target: ClusterAdmin, channel: ControlChannel) -> None:
        self._config = config
        self._target = target
        self._channel = channel
        self._number = ""

    @property
    def flow(self) -> Flow:
        """The flow."""
        return self._config.flow

    def send(self, order: ReloadOrder) -> bool:
        """
        Write *order*, unless nobody has ever driven the flow; tells whether it was written.

        Raises:
            MirrorError: It could not be written.
        """
        owner = read_owner(self._config.flow, self._target, self._config.offset_storage_topic)
        if owner is None or owner.is_hold:
            return False
        self._number = order.number
        self._channel.write([order])
        return True

    def answer(self) -> Reloaded | None:
        """
        Return what the driver has answered; `None` while it has not.

        Raises:
            ClusterError: The target could not be asked.
        """
        self._channel.look()
        reloaded = self._channel.orders.reloaded
        return reloaded if reloaded is not None and reloaded.number == self._number else None
