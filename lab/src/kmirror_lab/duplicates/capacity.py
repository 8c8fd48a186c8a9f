"""Whether a scenario's link can carry its records in its time, by the numbers of its file."""

from __future__ import annotations

from kmirror_lab.duplicates.conditions import DIRECTIONS
from kmirror_lab.duplicates.scenario import Scenario
from kmirror_lab.duplicates.step import Step, Verb
from kmirror_lab.net.settings import Change, Direction, LinkSettings

# A key, a record's own header, and its part of those of TCP.
_RECORD_MORE_BYTES = 24
# What is sent at once before an answer is needed, and what such a machine copies over any link.
_WINDOW_BYTES = 65_536
_RATE_BIT_S_MAX = 10e6
# Of the answers as many may be lost as has been measured: a later one answers for those before.
_LOSS_BACK_MAX = 0.3
_START_S = 30.0
# Connections begin slowly, and again after each gap; what is done to them is not told by a rate.
_ROOM = 1.25


def carries(scenario: Scenario) -> bool:
    """
    Return whether the link lets all records through with time to spare.

    Time in which packets to the target are lost, the link is cut, or a mirror starts, counts as
    time in which nothing passes.
    """
    needed = 8 * scenario.records * (scenario.record_bytes + _RECORD_MORE_BYTES)
    return _bits(scenario) >= _ROOM * needed


def _bits(scenario: Scenario) -> float:
    """Say how many bits pass until the end."""
    now, at_s, passed = _Now(), 0.0, 0.0
    for step in scenario.steps:
        passed += now.bits(at_s, step.at_s)
        now.do(step)
        at_s = step.at_s
    return passed + now.bits(at_s, scenario.seconds)


class _Now:
    """What is between the mirror and the target at a moment."""

    def __init__(self) -> None:
        self._link = LinkSettings()
        self._streams = 0
        self._quota_bit_s = 0.0
        self._runs_from_s = 0.0

    def do(self, step: Step) -> None:
        """Take over what a step does, as the laboratory does it."""
        direction = DIRECTIONS[step.leaving]
        match step.verb:
            case Verb.SET:
                self._link = self._link.changed(step.change, direction)
            case Verb.CUT:
                self._link = self._link.changed(Change(cut=True), direction)
            case Verb.HEAL:
                self._link = self._link.changed(Change(cut=False), Direction.BOTH)
            case Verb.CLEAR:
                self._link = LinkSettings()
            case Verb.QUOTA:
                self._quota_bit_s = 8.0 * step.bytes_s
            case Verb.TRAFFIC:
                self._streams = step.streams
            case Verb.KILL:
                self._runs_from_s = float("inf")
            case Verb.START | Verb.JOIN:
                self._runs_from_s = step.at_s + _START_S
            case Verb.RESET:
                pass

    def bits(self, from_s: float, until_s: float) -> float:
        """Say how many bits pass in a time in which nothing is done."""
        return self._bit_s() * max(0.0, until_s - max(from_s, self._runs_from_s))

    def _bit_s(self) -> float:
        there, back = self._link.there, self._link.back
        if there.cut or back.cut or there.loss or back.loss > _LOSS_BACK_MAX:
            return 0.0
        limits = [_RATE_BIT_S_MAX]
        if there.rate_bit_s:
            limits.append(there.rate_bit_s / (1 + self._streams))
        round_trip_s = there.delay_s + there.jitter_s + back.delay_s + back.jitter_s
        if round_trip_s:
            limits.append(8 * _WINDOW_BYTES / round_trip_s)
        if self._quota_bit_s:
            limits.append(self._quota_bit_s)
        return min(limits)
