"""Playing a scenario: two clusters, a link, a mirror, records, and the count in the end."""

from __future__ import annotations

import re
import secrets
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

from confluent_kafka import KafkaException

from kmirror.clock import Clock, SystemClock
from kmirror.errors import ClusterUnavailable, EnvironmentProblem
from kmirror_lab.cluster.clients import drain, producer
from kmirror_lab.cluster.quota import set_client_quota
from kmirror_lab.duplicates.audit import Audit, Sample, arrived_s, audit, last_new
from kmirror_lab.duplicates.capacity import carries
from kmirror_lab.duplicates.conditions import batch_s, conditions_of
from kmirror_lab.duplicates.course import course, seen_s
from kmirror_lab.duplicates.duplicated_batch import (
    DuplicatedBatch,
    duplicated_batch,
    first_repeated,
)
from kmirror_lab.duplicates.files import TOPIC, client_id, copy_of
from kmirror_lab.duplicates.input import WARM_UP, rows, start_producer
from kmirror_lab.duplicates.result import Peer, Run, effects_of
from kmirror_lab.duplicates.scenario import Scenario
from kmirror_lab.duplicates.step import End, Step, Verb
from kmirror_lab.duplicates.watched_topic import WatchedTopic
from kmirror_lab.duplicates.worker import Work, Worker
from kmirror_lab.duplicates.workers import Workers
from kmirror_lab.net import NetLab, NetPlan, net_lab
from kmirror_lab.net.traffic import Traffic
from kmirror_lab.process import process
from kmirror_lab.process.process import ProcessId
from kmirror_lab.process.waiting import wait_until

_PAUSE_S = 0.25
_START_S_MAX = 180.0
_WRITE_S_MAX = 60.0
# What was sent again may still be on its way when all is there.
_QUIET_S = 5.0
_REST_S_MAX = 60.0
_NO_FILE_NAME = re.compile(r"[^\w.=-]+")


class Laboratory:
    """
    Plays scenarios, each with clusters and a link of its own.

    Args:
        folder: Where they live meanwhile; nothing stays.
        logs: Where the mirrors' logs and files are kept; nowhere without.
        tell: Is told what goes on.
        clock: Where time comes from.
    """

    def __init__(
        self,
        folder: Path,
        *,
        logs: Path | None = None,
        tell: Callable[[str], None] = lambda _: None,
        clock: Clock | None = None,
    ) -> None:
        self._folder = folder
        self._logs = logs
        self._tell = tell
        self._clock = clock or SystemClock()

    def run(self, scenario: Scenario, peer: Peer) -> Run:
        """
        Play one scenario with one mirror.

        Raises:
            EnvironmentProblem: Namespaces are not possible here, or the mirror does not even start.
            ClusterUnavailable: Something did not happen in time.
        """
        token = secrets.token_hex(3)
        plan = NetPlan(names=(f"source-{token}", f"target-{token}"))
        self._tell("starting two clusters")
        with net_lab(self._folder, plan) as net:
            trial = _Trial(net, scenario, peer, self._tell, self._clock)
            try:
                trial.warm_up()
                trial.write()
                trial.go_on()
                return trial.count()
            except KafkaException as error:
                raise ClusterUnavailable(
                    f"a cluster of the lab does not answer: {error}"
                ) from error
            finally:
                trial.traffic.end()
                trial.mirror.kill()
                self._keep(trial, scenario, peer)

    def _keep(self, trial: _Trial, scenario: Scenario, peer: Peer) -> None:
        if self._logs is None:
            return
        self._logs.mkdir(parents=True, exist_ok=True)
        for file in trial.mirror.files():
            kept = f"{scenario.name}-{peer}-{file.parent.name}-{file.name}"
            shutil.copy(file, self._logs / _NO_FILE_NAME.sub("-", kept))


class _Trial:
    """One scenario with one mirror, from its first record to the count."""

    def __init__(
        self,
        net: NetLab,
        scenario: Scenario,
        peer: Peer,
        tell: Callable[[str], None],
        clock: Clock,
    ) -> None:
        self._net = net
        self._scenario = scenario
        self._tell = tell
        self._clock = clock
        self._names = dict(zip(End, net.names, strict=True))
        self._hosts = {end: net.host(name) for end, name in self._names.items()}
        self._at = {end: net.bootstrap(name) for end, name in self._names.items()}
        self._source = WatchedTopic(self._at[End.SOURCE], TOPIC, self._hosts[End.SOURCE])
        self._copy = copy_of(peer)
        self._target = WatchedTopic(self._at[End.TARGET], self._copy, self._hosts[End.TARGET])
        # Within the cluster's folder: it goes with the lab, however this ends.
        self._folder = net.folder / self._names[End.SOURCE] / "trial"
        work = Work(source=self._at[End.SOURCE], target=self._at[End.TARGET], lines=scenario.mirror)
        self.mirror = Workers(
            lambda name: Worker(peer, work, self._folder / name, self._hosts[End.SOURCE])
        )
        self._peer = peer
        self._died = False
        self._began_s = self._began_wall_s = 0.0
        self._produced = 0
        self._conditions = conditions_of(scenario)
        # A pause of less than that says nothing.
        self._quiet_s = _QUIET_S + batch_s(self._conditions)
        self._samples: list[Sample] = []
        self._left = list(scenario.steps)
        self.traffic = Traffic(self._hosts[End.SOURCE], self._hosts[End.TARGET], self._folder)

    def warm_up(self) -> None:
        """Start the mirror, and wait until the first record of every partition has arrived."""
        self._tell("starting the mirror")
        self._create(End.SOURCE, TOPIC)
        if self._peer is Peer.MIRROR_MAKER_1:
            self._create(End.TARGET, self._copy)  # it makes none itself
        with self._hosts[End.SOURCE].inside():
            writer = producer(self._at[End.SOURCE])
        for place in range(self._scenario.partitions):
            writer.produce(TOPIC, value=WARM_UP, key=WARM_UP, partition=place)
        drain(writer, timeout_s=_WRITE_S_MAX)
        self.mirror.start()

        def arrived() -> bool:
            if self.mirror.died():
                raise EnvironmentProblem(f"the mirror ended:\n{self.mirror.end_of_log()}")
            found = self._target.ends()
            # Not of each partition: MirrorMaker 1 chooses them itself.
            return sum(found.values()) >= self._scenario.partitions

        wait_until(arrived, "the mirror copies", timeout_s=_START_S_MAX, pause_s=_PAUSE_S)

    def write(self) -> None:
        """Make the link what it shall be, and begin to write the records."""
        scenario = self._scenario
        csv = self._folder / "records.csv"
        with csv.open("w") as file:
            file.writelines(
                rows(0, scenario.records, size_bytes=scenario.record_bytes, keys=scenario.keys)
            )
        self._do_steps(0)
        self._tell("writing the records")
        writing = start_producer(
            self._at[End.SOURCE],
            TOPIC,
            csv,
            keys=scenario.keys,
            folder=self._folder,
            host=self._hosts[End.SOURCE],
        )
        wait_until(
            lambda: self._written() > 0 or not process.alive(writing),
            "the first record is written",
            timeout_s=_WRITE_S_MAX,
        )
        if not self._written():
            said = (self._folder / "console-producer.log").read_text(errors="replace")
            raise EnvironmentProblem(f"the console producer wrote nothing: {said[-1000:]}")
        self._began_s = self._clock.monotonic_s()
        self._began_wall_s = self._clock.wall_ms() / 1000
        self._writing: ProcessId = writing

    def go_on(self) -> None:
        """Do the steps in time, and look, until all has arrived or time is up."""
        total = self._scenario.records
        grew_s, last, never = self._began_s, -1, threading.Event()
        while (at_s := self._now_s()) < self._scenario.seconds:
            self._do_steps(at_s)
            self._died = self._died or self.mirror.died()
            arrived = self._look()
            if arrived != last:
                grew_s, last = self._clock.monotonic_s(), arrived
            self._tell(f"{at_s:.0f} s: {arrived:,} of {total:,} records on the target")
            quiet = self._clock.monotonic_s() - grew_s >= self._quiet_s
            over = not self._left and not self._scenario.waits
            if over and quiet and (self._died or self._complete()):
                break
            self._clock.wait(never, _PAUSE_S)
        self._died = self._died or self.mirror.died()

    def count(self) -> Run:
        """End the mirror in order, wait for what is on its way, and compare both sides."""
        self._tell("counting")
        self._finish_writing()
        self.traffic.check()
        self.mirror.stop()
        self.traffic.end()
        self._net.clear()
        self._rest()
        ends, copied = self._source.ends(), self._target.ends()
        found, copies = Audit(), {}
        for place, end in sorted(ends.items()):
            ours = [number for _, number in self._source.numbers(place, end)]
            copies[place] = self._target.numbers(place, copied[place])
            found += audit(ours, [number for _, number in copies[place]])
        last = {place: last_new(copy) for place, copy in copies.items()}
        seconds = arrived_s(self._samples, last)
        return Run(
            scenario=self._scenario.name,
            peer=self._peer,
            audit=found,
            died=self._died,
            seconds=seconds,
            records_per_s=found.distinct / seconds if seconds > 0 else 0.0,
            timeouts=self.mirror.timed_out(),
            retries=self.mirror.retry_count(),
            effects=effects_of(found, died=self._died),
            wanted=self._scenario.wanted(self._peer),
            conditions=self._conditions,
            course=course(self._samples, copies),
            doubled=self._doubled(copies),
            carried=carries(self._scenario),
        )

    def _doubled(self, copies: dict[int, list[tuple[int, int]]]) -> DuplicatedBatch | None:
        """Follow the first batch that is there twice, if the mirror's log tells of it."""
        retries = self.mirror.retries()
        for place, copy in copies.items():
            repeated = first_repeated(copy)
            if repeated is None:
                continue
            seen = [
                seen_s(self._samples, place, end) for _, end in (repeated.first, repeated.second)
            ]
            first_s, second_s = seen
            if first_s is None or second_s is None:
                continue
            began_s = self._began_wall_s
            found = duplicated_batch(
                place, repeated, retries, seen_s=(first_s, second_s), began_s=began_s
            )
            if found is not None:
                return found
        return None

    def _complete(self) -> bool:
        """Return whether every record has arrived; ends alone count transactions' marks, too."""
        copied = self._target.ends()
        if sum(copied.values()) < self._scenario.records:
            return False
        there = [self._target.numbers(place, end) for place, end in copied.items()]
        return sum(len({number for _, number in each}) for each in there) >= self._scenario.records

    def _finish_writing(self) -> None:
        """Make sure that the source has what was to be written, by its offsets."""
        process.wait_end(self._writing, timeout_s=_WRITE_S_MAX)
        written = self._written()
        if written != self._scenario.records:
            raise EnvironmentProblem(
                f"the console producer wrote {written} of {self._scenario.records} records"
            )

    def _rest(self) -> None:
        before, since_s = -1, self._clock.monotonic_s()

        def quiet() -> bool:
            nonlocal before, since_s
            now, now_s = self._look(), self._clock.monotonic_s()
            if now != before:
                before, since_s = now, now_s
            return now_s - since_s >= _QUIET_S / 2

        wait_until(quiet, "the target is at rest", timeout_s=_REST_S_MAX, pause_s=_PAUSE_S)

    def _look(self) -> int:
        """Remember where the copy ends; say how many records that are, not counting the first."""
        if self._produced < self._scenario.records:
            self._produced = self._written()
        ends = self._target.ends()
        self._samples.append(Sample(self._now_s(), ends, self._produced))
        return sum(ends.values()) - self._scenario.partitions

    def _create(self, end: End, topic: str) -> None:
        cluster = self._net.clusters[self._names[end]]
        cluster.create_topic(topic, partitions=self._scenario.partitions)

    def _written(self) -> int:
        return sum(self._source.ends().values()) - self._scenario.partitions

    def _now_s(self) -> float:
        return self._clock.monotonic_s() - self._began_s

    def _do_steps(self, at_s: float) -> None:
        while self._left and self._left[0].at_s <= at_s:
            self._do(self._left.pop(0))

    def _do(self, step: Step) -> None:
        self._tell(step.text)
        leaving = None if step.leaving is None else self._names[step.leaving]
        match step.verb:
            case Verb.SET:
                self._net.change(step.change, leaving=leaving)
            case Verb.CUT:
                self._net.cut(leaving=leaving)
            case Verb.HEAL:
                self._net.heal()
            case Verb.CLEAR:
                self._net.clear()
            case Verb.RESET:
                self._net.reset()
            case Verb.QUOTA:
                set_client_quota(
                    self._at[End.TARGET],
                    client_id(self._peer),
                    produce_bytes_s=step.bytes_s,
                    host=self._hosts[End.TARGET],
                )
            case Verb.TRAFFIC:
                self.traffic.flow(step.streams)
            case Verb.KILL | Verb.START | Verb.JOIN:
                self._do_to_mirror(step.verb)

    def _do_to_mirror(self, verb: Verb) -> None:
        match verb:
            case Verb.KILL:
                self.mirror.kill()
            case Verb.START:
                self.mirror.start()
            case _:
                self.mirror.join()
