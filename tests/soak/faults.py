"""How each kind of fault is done to a stage, and undone."""

from __future__ import annotations

from collections.abc import Callable

from kmirror_lab.cluster.broker import Broker
from kmirror_lab.cluster.cluster import Cluster

from kmirror.cli.exits import Exit
from kmirror.errors import EnvironmentProblem
from tests.soak.changed_setting import SIZES, change_size
from tests.soak.schedule import Kind, Round
from tests.soak.stage import PLAIN, TRANSACTIONAL, Stage
from tests.support.commands import order
from tests.support.kafka_tools import elect_preferred

Undo = Callable[[], None]
Done = tuple[str, Undo]
"""What was hit, and what mends it."""

NOT_DONE = "not done"
"""How it begins where another fault was in the way."""

PARTITIONS_MAX = 8
_STARTS_MAX = 3
_NARROW = {"rate": "2mbit", "delay": "100ms"}


class Faults:
    """
    The injector.

    Args:
        stage: What it harms.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._does: dict[Kind, Callable[[Round], Done]] = {
            Kind.NOTHING: lambda _: ("", _leave),
            Kind.FREEZE_DRIVER: self._freeze_driver,
            Kind.KILL_SOURCE: lambda round_: self._kill(stage.source, round_),
            Kind.KILL_TARGET: lambda round_: self._kill(stage.target, round_),
            Kind.FREEZE_SOURCE: lambda round_: self._freeze(stage.source, round_),
            Kind.FREEZE_TARGET: lambda round_: self._freeze(stage.target, round_),
            Kind.ROLL_SOURCE: lambda round_: self._roll(stage.source, round_),
            Kind.ROLL_TARGET: lambda round_: self._roll(stage.target, round_),
            Kind.ELECT: self._elect,
            Kind.CUT: self._cut,
            Kind.CUT_ANSWERS: self._cut_answers,
            Kind.SLOW: self._slow,
            Kind.RESET: self._reset,
            Kind.GROW: self._grow,
            Kind.SETTINGS: self._settings,
            Kind.PAUSE: self._pause,
            Kind.KILL_DRIVER: self._kill_driver,
            Kind.RESTART_DRIVER: self._restart_driver,
            Kind.TAKE_OVER: self._take_over,
        }

    def inject(self, kind: Kind, round_: Round) -> Done:
        """Do it."""
        return self._does[kind](round_)

    def _freeze_driver(self, _: Round) -> Done:
        driver = self._stage.driver
        driver.freeze()
        return f"process {driver.pid}", driver.thaw

    def _kill(self, cluster: Cluster, round_: Round) -> Done:
        broker = _chosen(cluster, round_)
        broker.kill()
        return f"broker {broker.node_id}", lambda: _start(broker)

    def _freeze(self, cluster: Cluster, round_: Round) -> Done:
        broker = _chosen(cluster, round_)
        if broker.running():
            broker.pause()
        return f"broker {broker.node_id}", lambda: _wake(broker)

    def _roll(self, cluster: Cluster, round_: Round) -> Done:
        broker = _chosen(cluster, round_)
        if broker.running():
            broker.resume()
            broker.stop(timeout_s=60)
        return f"broker {broker.node_id}", lambda: _start(broker)

    def _elect(self, _: Round) -> Done:
        for cluster in (self._stage.source, self._stage.target):
            cluster.heal()
            elect_preferred(cluster)
        return "both clusters", _leave

    def _cut(self, _: Round) -> Done:
        self._stage.net.cut()
        return "driver to target", self._stage.net.heal

    def _cut_answers(self, round_: Round) -> Done:
        side = self._stage.net.names[int(round_.lot * 2)]
        self._stage.net.cut(leaving=side)
        return f"what leaves {side}", self._stage.net.heal

    def _slow(self, _: Round) -> Done:
        self._stage.net.set(**_NARROW)
        return "2 Mbit/s, 100 ms", self._wide

    def _wide(self) -> None:
        self._stage.net.set(rate="none", delay="0")

    def _reset(self, _: Round) -> Done:
        self._stage.net.reset()
        return "driver to target", self._stage.net.reset

    def _grow(self, _: Round) -> Done:
        if self._stage.partitions >= PARTITIONS_MAX:
            return f"{PLAIN} has {PARTITIONS_MAX} partitions already", _leave
        return f"{PLAIN} to {self._stage.grow()} partitions", _leave

    def _settings(self, round_: Round) -> Done:
        size = SIZES[int(round_.lot * len(SIZES))]
        return change_size(self._stage.source, size), _leave

    def _pause(self, _: Round) -> Done:
        stage = self._stage
        place = (stage.flow.file, "A->B", TRANSACTIONAL)
        answer = order("pause", *place)
        is_unknown = "may have been given all the same" in " ".join(answer.text.split())
        assert answer.code == 0 or is_unknown, answer.text

        def resume() -> None:
            told = order("resume", *place)
            assert told.code == 0, told.text

        if is_unknown:
            return f"{NOT_DONE}, for all that is known: {answer.text.splitlines()[0]}", resume
        return f"A->B {TRANSACTIONAL}", resume

    def _next_driver(self) -> None:
        self._stage.start_driver()

    def _kill_driver(self, _: Round) -> Done:
        driver = self._stage.driver
        driver.kill()
        return f"process {driver.pid}", self._next_driver

    def _restart_driver(self, _: Round) -> Done:
        driver = self._stage.driver
        assert driver.stop() == Exit.OK, driver.text[-2000:]
        return f"process {driver.pid}", self._next_driver

    def _take_over(self, _: Round) -> Done:
        first = self._stage.driver
        first.freeze()
        second = self._stage.start_driver()

        def wake() -> None:
            first.thaw()
            code = first.wait_exit(timeout_s=120)
            assert code == Exit.FENCED, f"the older driver ended with {code}"

        return f"process {second.pid} from {first.pid}", wake


def _chosen(cluster: Cluster, round_: Round) -> Broker:
    return cluster.broker(1 + int(round_.lot * len(cluster.brokers)))


def _start(broker: Broker) -> None:
    """
    Start it, and again if it has ended, as a service manager does: Kafka gives up if its quorum has
    no leader for a minute.
    """
    for starts_left in reversed(range(_STARTS_MAX)):
        if broker.running():
            return
        try:
            broker.start(timeout_s=120)
        except EnvironmentProblem:
            if not starts_left:
                raise


def _wake(broker: Broker) -> None:
    if broker.running():
        broker.resume()


def _leave() -> None:
    """Nothing is to be mended."""
