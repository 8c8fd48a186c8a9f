"""The run itself: rounds of faults and recoveries, and what is asked at the end."""

from __future__ import annotations

import logging
import os
import platform
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from confluent_kafka import KafkaException

from kmirror.clock import Clock, SystemClock
from kmirror.errors import MirrorError
from tests.soak.changed_setting import check_changed_setting
from tests.soak.compacted import check_compacted
from tests.soak.faults import NOT_DONE, Faults, Undo
from tests.soak.result import Event, Finding, Result
from tests.soak.sampler import Sampler
from tests.soak.schedule import (
    DRIVER_ENDS_EVERY,
    DRIVER_ENDS_EVERY_SHORT,
    Kind,
    Round,
    rounds,
)
from tests.soak.stage import ABORT_EVERY, BROKERS, COMPACTED, KEYS, PARTITIONS, Stage
from tests.soak.trends import trends

RECOVERY_S_MAX = 180.0
_RATE_MAX, _RECORDS_MAX = 60, 150_000
_LONG_S = 3600.0
_TROUBLE = (AssertionError, KafkaException, MirrorError, OSError, subprocess.SubprocessError)
_log = logging.getLogger(__name__)


def soak(folder: Path, *, hours: float, seed: int, stop: threading.Event) -> Result:
    """
    Run one.

    Args:
        folder: For data, logs and ledgers.
        hours: How long faults come.
        seed: Decides which.
        stop: Ends the faults early; everything is compared all the same.
    """
    clock = SystemClock()
    duration_s = hours * 3600
    rate = max(5, min(_RATE_MAX, int(_RECORDS_MAX / duration_s)))
    result = Result(
        command=f"make soak HOURS={hours:g} SEED={seed}",
        seed=seed,
        began=time.strftime("%Y-%m-%d %H:%M %Z"),
        duration_s=duration_s,
        machine=_machine(),
        setup=_setup(rate),
    )
    with Stage(folder, rate=rate, seed=seed, clock=clock) as stage:
        _Run(stage, result, clock, stop).go()
    lasted_s = max((event.until_s for event in result.events), default=0.0)
    return replace(result, duration_s=lasted_s)


class _Run:
    def __init__(self, stage: Stage, result: Result, clock: Clock, stop: threading.Event) -> None:
        self._stage, self._result, self._clock, self._stop = stage, result, clock, stop
        self._faults = Faults(stage)
        self._began_s = clock.monotonic_s()
        self._sampler = Sampler(
            source=stage.source.bootstrap,
            target=stage.target.bootstrap,
            flows=stage.topics(),
            processes=stage.processes,
            clock=clock,
            began_s=self._began_s,
        )

    def go(self) -> None:
        self._sampler.start()
        try:
            for round_ in rounds(self._result.seed, _driver_ends_every(self._result.duration_s)):
                self._play(round_)
                if self._stop.is_set() or self._now_s() > self._result.duration_s:
                    break
            self._finish()
        finally:
            self._sampler.stop()
            self._result.processes.extend(self._sampler.processes)
            self._result.flows.extend(self._sampler.flows)
        self._result.findings.extend(self._questions())

    def _now_s(self) -> float:
        return self._clock.monotonic_s() - self._began_s

    def _play(self, round_: Round) -> None:
        begun: list[tuple[Kind, str, float, Undo]] = []
        for kind in round_.kinds:
            from_s = self._now_s()
            try:
                where, undo = self._faults.inject(kind, round_)
            except _TROUBLE as error:
                # The fault before it may be in the way.
                where, undo = f"{NOT_DONE}: {_short(error)}", _leave
            _log.warning("round %d at %.0f s: %s, %s", round_.number, from_s, kind, where)
            begun.append((kind, where, from_s, undo))
        self._wait(round_.hold_s)
        # Orders travel over what the others have broken.
        begun.sort(key=lambda each: each[0] is Kind.PAUSE)
        for kind, _, _, undo in begun:
            self._ask(f"round {round_.number}: {kind} is mended", undo)
        until_s = self._now_s()
        recovered_s = self._recover()
        for kind, where, from_s, _ in begun:
            event = Event(
                number=round_.number,
                what=str(kind),
                where=where,
                from_s=round(from_s, 1),
                until_s=round(until_s, 1),
                recovered_s=recovered_s,
            )
            self._result.events.append(event)
        self._stage.mend_producers()
        self._wait(round_.rest_s)

    def _recover(self) -> float | None:
        begun_s = self._now_s()
        if not self._stage.wait_caught_up(RECOVERY_S_MAX):
            _log.warning("no recovery within %.0f s", RECOVERY_S_MAX)
            return None
        return round(self._now_s() - begun_s, 1)

    def _wait(self, duration_s: float) -> None:
        self._clock.wait(self._stop, duration_s)

    def _ask(self, question: str, do: Callable[[], object], *, good: str = "") -> None:
        """Do something that must go well; only what went wrong is news, or what is asked for."""
        try:
            answer = do()
        except _TROUBLE as error:
            _log.warning("%s: %s", question, error)
            self._answer(question, _short(error), good=False)
            return
        if good:
            self._answer(question, good if answer is None else str(answer), good=True)

    def _answer(self, question: str, answer: str, *, good: bool) -> None:
        self._result.findings.append(Finding(good=good, question=question, answer=answer))

    def _finish(self) -> None:
        stage = self._stage
        stage.flow.stop_writing()
        for workload in stage.keyed:
            workload.stop()
        caught_up = stage.wait_caught_up(2 * RECOVERY_S_MAX)
        self._answer(
            "Is everything copied at the end?", "yes" if caught_up else "no", good=caught_up
        )
        self._ask(
            "Does a changed setting reach the copies?",
            lambda: check_changed_setting(stage),
            good="yes",
        )
        self._ask("Does the driver end by SIGTERM with 0?", self._stop_driver, good="yes")
        self._ask(
            "Ledger, both granularities, plain and transactional topic: loss, duplicates, order, "
            "content, aborted records, hanging transactions, positions, offset map, witness?",
            stage.flow.check,
            good=f"nothing found; {self._acknowledged():,} records acknowledged",
        )
        self._ask(
            "Compacted topic: last record of each key, order, duplicates, foreign records?",
            self._compacted,
            good="nothing found",
        )

    def _acknowledged(self) -> int:
        return self._stage.flow.acked() + sum(each.acked() for each in self._stage.keyed)

    def _stop_driver(self) -> None:
        code = self._stage.driver.stop()
        assert code == 0, f"exit code {code}"

    def _compacted(self) -> None:
        stage = self._stage
        ledgers = [each.spec.ledger for each in stage.keyed]
        for topics in stage.topics().values():
            pair = (COMPACTED, topics[COMPACTED])
            wrong = check_compacted(stage.source, stage.target, pair, ledgers, count=PARTITIONS)
            assert not wrong, f"{len(wrong)} differences; {wrong[0]}"

    def _questions(self) -> Iterator[Finding]:
        """Ask what the events, the logs and the samples say."""
        events = self._result.events
        late = [event for event in events if event.recovered_s is None]
        times = [event.recovered_s for event in events if event.recovered_s is not None]
        said = f"{len(events)} faults in {events[-1].number} rounds" if events else "no faults"
        if times:
            said += f"; median {statistics.median(times):.1f} s, longest {max(times):.1f} s"
        if late:
            said += "; not after " + ", ".join(f"{each.what} ({each.number})" for each in late)
        question = f"Lag back to 0 within {RECOVERY_S_MAX:.0f} s after each round?"
        yield Finding(good=bool(times) and not late, question=question, answer=said)
        undone = [event for event in events if event.where.startswith(NOT_DONE)]
        yield Finding(
            good=5 * len(undone) <= len(events),
            question="Faults that could not be done, because another one was in the way?",
            answer=f"{len(undone)} of {len(events)}",
        )
        crashes = [line for each in self._stage.drivers for line in each.lines(_CRASH)]
        yield Finding(
            good=not crashes,
            question="Unforeseen errors in the logs of the drivers?",
            answer=crashes[0] if crashes else f"none in {len(self._stage.drivers)} logs",
        )
        parked = [line for each in self._stage.drivers for line in each.lines(r" ERROR .*parked")]
        yield Finding(
            good=not parked,
            question="Parked partitions?",
            answer=parked[0] if parked else "none",
        )
        replaced = self._stage.replaced
        yield Finding(
            good=True,
            question="Producers that a fault has ended (each was replaced; its ledger counts)?",
            answer=str(replaced),
        )
        yield from trends(self._result)


_CRASH = r"Traceback|: unexpected$"


def _driver_ends_every(duration_s: float) -> int:
    return DRIVER_ENDS_EVERY_SHORT if duration_s < _LONG_S else DRIVER_ENDS_EVERY


def _leave() -> None:
    """Nothing is to be mended."""


def _short(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


def _machine() -> str:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}; load at start {load}"


def _setup(rate: int) -> tuple[str, ...]:
    return (
        f"Two clusters of {BROKERS} brokers each; the driver reaches the target through a link "
        "that can be cut, slowed down and reset.",
        f"Three producers of {rate} records/s each, with ledgers: a plain topic, a topic of "
        f"transactions of which every {ABORT_EVERY}th is aborted, and a compacted topic of {KEYS} "
        "keys with tombstones. Values of 0 bytes to 900 KiB, null keys and values, repeated and "
        "null headers.",
        "One driver, two flows over the same topics: whole batches, and record by record.",
    )
