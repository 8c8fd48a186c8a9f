"""The settings of a flow while it runs: some of them change under its hands."""

from __future__ import annotations

from collections.abc import Callable

from kmirror.config.flows import FlowConfig


class LiveConfig:
    """
    A flow's settings as they are now, and who follows them.

    Args:
        config: What they are at first.
    """

    def __init__(self, config: FlowConfig) -> None:
        self._config = config
        self._told = config
        self._followers: list[Callable[[FlowConfig], object]] = []

    @property
    def now(self) -> FlowConfig:
        """What they are at the moment, whether or not followers know."""
        return self._config

    def set(self, config: FlowConfig) -> None:
        """Change them; from any thread. Only fields differ that a running flow takes over."""
        self._config = config

    def follow(self, *followers: Callable[[FlowConfig], object]) -> None:
        """Have these told of each change, in the flow's own thread."""
        self._followers.extend(followers)

    def pass_on(self) -> bool:
        """Tell all followers of a change; tells whether there was one."""
        config = self._config
        if config is self._told:
            return False
        self._told = config
        for follower in self._followers:
            follower(config)
        return True
