"""A lab of two sides and a link that is there: changed, measured, and left, by any process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.net import link, prover, proxied, settings_file
from kmirror_lab.net import state as state_file
from kmirror_lab.net.proof import Proof
from kmirror_lab.net.settings import Change, Direction, LinkSettings, read_change
from kmirror_lab.net.state import Kind, NetState
from kmirror_lab.net.teardown import tear_down
from kmirror_lab.process.host import Host


class NetLab:
    """
    Two sides and the link between them.

    Args:
        folder: The lab's.
        state: What is written down there.
        clusters: The clusters, for who has started them; by their names.
    """

    def __init__(
        self, folder: Path, state: NetState, clusters: Mapping[str, Cluster] | None = None
    ) -> None:
        self.folder = folder
        self.state = state
        self.clusters = dict(clusters or {})

    @classmethod
    def at(cls, folder: Path) -> NetLab:
        """
        Find the lab of a folder.

        Raises:
            EnvironmentProblem: There is none.
        """
        state = state_file.load(folder)
        if state is None:
            hint = "kmirror lab net up makes one"
            raise EnvironmentProblem(f"there is no network lab in {folder}", hint=hint)
        return cls(folder, state)

    @property
    def names(self) -> tuple[str, str]:
        """The sides' names."""
        return self.state.names

    @property
    def settings(self) -> LinkSettings:
        """What the link shall do now."""
        return settings_file.load(self.folder)

    def host(self, name: str) -> Host:
        """
        Return the place of one side's processes: `command(…)` and `inside()`.

        Raises:
            ValueError: No side is called that.
            EnvironmentProblem: The sides have no places of their own, for want of namespaces.
        """
        self._known(name)
        if self.state.kind is Kind.PROXY:
            raise EnvironmentProblem(
                f"{name} is no place to run things at: without root there are no namespaces",
                hint="start programs as usual, with the addresses that each side sees",
            )
        return self.state.host(name)

    def direction(self, leaving: str | None) -> Direction:
        """
        Say which packets leave a side; all of them without one.

        Raises:
            ValueError: No side is called that.
        """
        if leaving is None:
            return Direction.BOTH
        self._known(leaving)
        return Direction.THERE if leaving == self.names[0] else Direction.BACK

    def change(self, change: Change, *, leaving: str | None = None) -> LinkSettings:
        """
        Change what the link does from now on; what is not named stays.

        Args:
            change: The new values.
            leaving: For packets that leave this side only.

        Raises:
            ValueError: The values contradict themselves, or no side is called that.
            EnvironmentProblem: The link is gone, or it cannot do that.
        """
        before = self.settings
        now = before.changed(change, self.direction(leaving))
        self._apply(before, now)
        return now

    def set(self, *, leaving: str | None = None, **texts: str) -> LinkSettings:
        """Change values as people write them: `set(rate="1mbit", delay="100ms", loss="5%")`."""
        burst = texts.pop("burst", None)
        change = read_change(burst=None if burst is None else int(burst), **texts)
        return self.change(change, leaving=leaving)

    def cut(self, *, leaving: str | None = None) -> None:
        """Have nothing arrive; with *leaving*, nothing of what that side sends."""
        self.change(Change(cut=True), leaving=leaving)

    def heal(self) -> None:
        """End the cuts; all else stays as it was set."""
        self.change(Change(cut=False))

    def clear(self) -> None:
        """Have the link do nothing to packets, whatever was done to the kernel meanwhile."""
        self._apply(None, LinkSettings())

    def reset(self) -> None:
        """
        End all TCP connections across the link.

        Raises:
            EnvironmentProblem: The link is gone, or the kernel cannot.
        """
        self._check()
        if self.state.kind is Kind.PROXY:
            proxied.reset(self.state)
        else:
            link.reset(self.state)

    def prove(self, *, seconds: float = 2.0, iperf3: bool | None = None) -> Proof:
        """
        Measure what the link does.

        Args:
            seconds: How long each transfer is measured.
            iperf3: Whether it makes the transfers; by default, whether it is installed.

        Raises:
            EnvironmentProblem: The link is gone, or `ping` is missing.
        """
        self._check()
        if self.state.kind is Kind.PROXY:
            return proxied.prove(self.state, self.settings, seconds=seconds)
        return prover.prove(self.state, self.settings, seconds=seconds, iperf3=iperf3)

    def bootstrap(self, name: str, *, seen_from: str = "") -> str:
        """Return `bootstrap.servers` of a side's cluster, as the other side, or itself, sees it."""
        self._known(name)
        lines = self.state.properties(seen_from or name).splitlines()
        return next(line.split(" = ")[1] for line in lines if line.startswith(f"{name}.bootstrap"))

    def down(self) -> None:
        """End everything, and remove it."""
        tear_down(self.folder)

    def there(self) -> bool:
        """Return whether sides and link are as they were made."""
        return link.is_there(self.state)

    def _apply(self, before: LinkSettings | None, now: LinkSettings) -> None:
        if self.state.kind is Kind.PROXY:
            proxied.check(now)
        self._check()
        link.apply(self.folder, self.state, before, now)

    def _check(self) -> None:
        if not self.there():
            raise EnvironmentProblem(
                "the link, or one of its sides, is gone",
                hint="kmirror lab net down removes what is left",
            )

    def _known(self, name: str) -> None:
        if name not in self.names:
            raise ValueError(f"{name}: the sides are {' and '.join(self.names)}")
