"""Making a lab of two sides and a link: all of it, or nothing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

from kmirror.errors import EnvironmentProblem
from kmirror_lab.cluster.cluster import Cluster
from kmirror_lab.cluster.state import state_of
from kmirror_lab.net import link, namespace, proxied, settings_file
from kmirror_lab.net import state as state_file
from kmirror_lab.net.netlab import NetLab
from kmirror_lab.net.settings import LinkSettings
from kmirror_lab.net.state import Kind, NetState, SideState
from kmirror_lab.net.teardown import GUARDIAN_LOG, tear_down, tear_down_orphan
from kmirror_lab.process.guardian import Guardian

DEFAULT_NAMES = ("us-east-1", "us-east-2")
# They are nobody else's: each pair of namespaces is a world of its own.
_ADDRESSES = ("10.77.0.1", "10.77.0.2")
_FIRST_PORT = 9092


@dataclass(frozen=True, slots=True, kw_only=True)
class NetPlan:
    """
    What shall be made.

    Args:
        names: Of the two sides; their namespaces' and clusters' names.
        brokers: In each cluster; without any there is only the link.
        congestion: TCP's congestion control between the sides.
        heap_mb: The largest heap of each broker, MiB.
        config: More settings of each broker.
        proxy: Do without namespaces even where they are possible.
    """

    names: tuple[str, str] = DEFAULT_NAMES
    brokers: int = 1
    congestion: str = "cubic"
    heap_mb: int = 512
    config: Mapping[str, str] = field(default_factory=dict)
    proxy: bool = False


def bring_up(folder: Path, plan: NetPlan) -> NetLab:
    """
    Make a lab that stays. When this fails or is killed half-way, nothing is left.

    Args:
        folder: For its data, logs and state.
        plan: What it is.

    Raises:
        ValueError: A name is no name.
        EnvironmentProblem: There is a lab or a namespace already, or something is missing here.
    """
    with _kept(folder, plan) as made:
        return made


@contextlib.contextmanager
def net_lab(folder: Path, plan: NetPlan | None = None) -> Iterator[NetLab]:
    """Yield a lab that is gone afterwards, even if this process is killed; see `bring_up`."""
    with _kept(folder, plan or NetPlan()) as made:
        try:
            yield made
        finally:
            made.down()


@contextlib.contextmanager
def _kept(folder: Path, plan: NetPlan) -> Iterator[NetLab]:
    """Make a lab; if this process ends before the context does, it is taken down."""
    planned = _planned(folder, plan)
    folder.mkdir(parents=True, exist_ok=True)
    guardian = Guardian(tear_down_orphan, log=folder / GUARDIAN_LOG)
    guardian.note(str(folder.absolute()))
    try:
        yield _make(folder, plan, planned)
    except BaseException:
        tear_down(folder)
        raise
    finally:
        guardian.release()


def kind_here(*, proxy: bool = False) -> Kind:
    """
    Choose what the link is made of on this machine.

    Raises:
        EnvironmentProblem: Namespaces are possible, but a program for them is missing.
    """
    if proxy or namespace.why_not():
        return Kind.PROXY
    namespace.require_tools()
    return Kind.NETEM if namespace.has_netem() else Kind.WIRE


def _planned(folder: Path, plan: NetPlan) -> NetState:
    """Look at everything that may be in the way, before anything is made."""
    names = tuple(namespace.check_name(name) for name in plan.names)
    if names[0] == names[1]:
        raise ValueError(f"both sides are called {names[0]}")
    if state_file.load(folder) is not None:
        hint = "kmirror lab net down ends it"
        raise EnvironmentProblem(f"there is a network lab in {folder} already", hint=hint)
    for name in names:
        if (folder / name).exists():
            raise EnvironmentProblem(f"{folder / name} is in the way")
    kind = kind_here(proxy=plan.proxy)
    if kind is Kind.PROXY:
        return proxied.planned(plan.names, plan.brokers)
    link.check_congestion(plan.congestion)
    for name in names:
        if namespace.exists(name):
            hint = f"another lab's (kmirror lab net down --folder …), or ip netns delete {name}"
            raise EnvironmentProblem(f"there is a namespace {name} already", hint=hint)
    first, second = (
        SideState(name=name, address=address)
        for name, address in zip(names, _ADDRESSES, strict=True)
    )
    return NetState(kind=kind, congestion=plan.congestion, sides=(first, second))


def _make(folder: Path, plan: NetPlan, state: NetState) -> NetLab:
    # Written before each step, so that whoever takes the lab down knows what there may be.
    state_file.save(folder, state)
    settings_file.save(folder, LinkSettings())
    if state.kind is Kind.PROXY:
        clusters, state = proxied.clusters(
            folder, state, plan.brokers, heap_mb=plan.heap_mb, config=plan.config
        )
        state_file.save(folder, state)
        state = replace(state, link=proxied.start(folder))
        state_file.save(folder, state)
    else:
        state = _namespaces(folder, state)
        clusters = [
            Cluster(
                name,
                folder,
                brokers=plan.brokers,
                ports=range(_FIRST_PORT, _FIRST_PORT + plan.brokers),
                config=plan.config,
                heap_mb=plan.heap_mb,
                outlive=True,
                host=state.host(name),
            )
            for name in state.names
            if plan.brokers
        ]
    link.apply(folder, state, None, LinkSettings())
    state = _started(folder, state, clusters)
    return NetLab(folder, state, {cluster.name: cluster for cluster in clusters})


def _namespaces(folder: Path, state: NetState) -> NetState:
    for index in (0, 1):
        made = namespace.create(state.sides[index].name)
        sides = list(state.sides)
        sides[index] = replace(sides[index], inode=made.inode)
        state = replace(state, sides=(sides[0], sides[1]))
        state_file.save(folder, state)
        link.quieten(state.host(made.name))
    if state.kind is Kind.WIRE:
        state = replace(state, link=link.start_wire(folder, state.names))
        state_file.save(folder, state)
    link.connect(folder, state)
    return state


def _started(folder: Path, state: NetState, clusters: list[Cluster]) -> NetState:
    if not clusters:
        return state
    with ThreadPoolExecutor(max_workers=len(clusters)) as pool:
        try:
            list(pool.map(Cluster.launch, clusters))
        finally:
            found = state_of(clusters).clusters
            first, second = (
                replace(side, cluster=cluster)
                for side, cluster in zip(state.sides, found, strict=True)
            )
            state = replace(state, sides=(first, second))
            state_file.save(folder, state)
        try:
            list(pool.map(Cluster.wait_ready, clusters))
        except BaseException:
            # Or an interrupt would have to wait until they are ready.
            for cluster in clusters:
                cluster.kill()
            raise
    return state
