"""What copies have gone on without, and how it gets to its place after all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from kmirror.api.left_out import (
    LeftOutList,
    LeftOutView,
    LetterView,
    ReplayList,
    ReplayRequest,
    ReplayView,
)
from kmirror.api.topic_answers import HeaderView
from kmirror.clock import Clock
from kmirror.config.flows import FlowConfig
from kmirror.console.kept_answers import KeptAnswers
from kmirror.console.reasons import reason_of, require_name
from kmirror.console.topic_questions import content
from kmirror.control.caller import Caller, Role
from kmirror.control.dead_letters import DeadLetters
from kmirror.control.replays import Replay
from kmirror.ends.gap_topic import GapTopic
from kmirror.ends.opened_letters import open_letters
from kmirror.errors import NotFound, one_line
from kmirror.events.console import LETTERS_REPLAYED, RECORDS_READ
from kmirror.events.emit import emit
from kmirror.wire.dead_letters import DeadLetter, Replayed
from kmirror.wire.gap_events import GapEvent

REPLAYS_MAX = 200
_KEEP_S = 5.0
_HEADERS_MAX = 20
_KEY_BYTES_MAX, _VALUE_BYTES_MAX = 4096, 64 << 10


class LeftOut:
    """
    Asks targets for it, and writes it to its topics where somebody orders that.

    Args:
        require_records: Refuses to show records to whoever may not see them.
        clock: Where time comes from.
    """

    def __init__(self, require_records: Callable[[Caller], None], clock: Clock) -> None:
        self._require_records = require_records
        self._clock = clock
        self._lists = KeptAnswers[LeftOutList](_KEEP_S, clock)

    def gaps(
        self, config: FlowConfig, *, topic: str | None = None, offset: int = 0, limit: int = 200
    ) -> LeftOutList:
        """
        Return what copies of a flow have gone on without, the newest first.

        Args:
            config: The flow.
            topic: Only of one topic of the source.
            offset, limit: Which of them.

        Raises:
            ClusterError: The target does not answer, or refuses.
        """
        whole = self._lists.get(config.flow, lambda: self._gaps(config))
        chosen = [each for each in whole.gaps if topic in {None, each.topic}]
        return LeftOutList(
            flow=whole.flow,
            as_of_ms=whole.as_of_ms,
            total=len(chosen),
            gaps=tuple(chosen[offset : offset + limit]),
        )

    def letter(self, config: FlowConfig, number: int, caller: Caller) -> LetterView:
        """
        Return a dead letter with what is kept of it.

        Args:
            config: The flow.
            number: Its offset in the topic for dead letters.
            caller: Who asks.

        Raises:
            NotAllowed: They may not see records.
            NotFound: There is none of the flow.
            ClusterError: The target does not answer, or refuses.
        """
        self._require_records(caller)
        with open_letters(config, self._clock) as opened:
            letter = _letter(opened.letters, number)
            replayed = opened.letters.replayed().get(number)
        emit(
            RECORDS_READ,
            flow=config.flow,
            topic=letter.source.topic,
            partition=letter.source.partition,
            caller=caller.name,
            role=caller.role.label,
            address=caller.address,
        )
        return _letter_view(letter, replayed)

    def replay(self, config: FlowConfig, asked: ReplayRequest, caller: Caller) -> ReplayList:
        """
        Write dead letters to the topics that did not take them, each of them once.

        Args:
            config: The flow.
            asked: Which, and why.
            caller: Who asks.

        Raises:
            NotAllowed: They may not.
            OrderRefused: The flow was not named again.
            NotFound: One of them is not there.
            ClusterError: A cluster does not answer, or refuses; what was replayed is not again.
        """
        caller.require(Role.ADMIN, f"replay dead letters of {config.flow}")
        require_name(config, asked.flow)
        reason, by = reason_of(asked.reason), str(caller)
        with open_letters(config, self._clock) as opened:
            letters = opened.letters
            numbers, left = _chosen(letters, asked)
            replays = opened.replays
            found = replays.plan(numbers) if asked.dry_run else replays.run(numbers, by)
            done = [_replay(each, dry_run=asked.dry_run) for each in found]
        if not asked.dry_run:
            emit(
                LETTERS_REPLAYED,
                flow=config.flow,
                records=sum(each.records for each in done),
                caller=by,
                reason=reason,
            )
        return ReplayList(
            flow=str(config.flow), dry_run=asked.dry_run, replays=tuple(done), left=left
        )

    def _gaps(self, config: FlowConfig) -> LeftOutList:
        with open_letters(config, self._clock) as opened:
            clients = opened.clients
            topic = GapTopic(config, clients.target, clients.target_rdkafka, self._clock)
            found, replayed = topic.read(), opened.letters.replayed()
        views = sorted((_gap(each, replayed) for each in found), key=lambda each: -each.at_ms)
        return LeftOutList(
            flow=str(config.flow),
            as_of_ms=self._clock.wall_ms(),
            total=len(views),
            gaps=tuple(views),
        )


def _chosen(letters: DeadLetters, asked: ReplayRequest) -> tuple[Sequence[int], int]:
    """Return the numbers of those to replay now, and how many more there are."""
    if asked.numbers is not None:
        wanted = sorted(set(asked.numbers))
        for number in wanted[:REPLAYS_MAX]:
            _letter(letters, number)
    else:
        done = letters.replayed()
        found = (each.number for each in letters.letters(asked.topic))
        wanted = [number for number in found if number not in done]
    return wanted[:REPLAYS_MAX], max(0, len(wanted) - REPLAYS_MAX)


def _letter(letters: DeadLetters, number: int) -> DeadLetter:
    found = letters.letter(number)
    if found is None:
        raise NotFound(f"there is no {number} of this flow in {letters.topic}")
    return found


def _gap(event: GapEvent, replayed: Mapping[int, Replayed]) -> LeftOutView:
    done = None if event.letter is None else replayed.get(event.letter)
    return LeftOutView(
        topic=event.topic,
        partition=event.partition,
        copy=event.copy,
        kind=event.kind,
        log=event.log,
        start=event.start,
        end=event.end,
        records=event.records,
        reaction=event.reaction,
        is_parked=event.is_parked,
        reason=event.reason,
        at_ms=event.at_ms,
        letter=event.letter,
        replayed_ms=None if done is None else done.at_ms,
        replayed_by="" if done is None else done.by,
    )


def _letter_view(letter: DeadLetter, replayed: Replayed | None) -> LetterView:
    return LetterView(
        number=letter.number,
        flow=letter.flow,
        topic=letter.source.topic,
        partition=letter.source.partition,
        offset=letter.offset,
        target=letter.target,
        at_ms=letter.at_ms,
        timestamp_ms=letter.timestamp_ms,
        reason=letter.reason,
        words=letter.words,
        size_bytes=letter.size_bytes,
        is_truncated=letter.is_truncated,
        key=content(_cut(letter.key, _KEY_BYTES_MAX), _size(letter.key_bytes)),
        value=content(_cut(letter.value, _VALUE_BYTES_MAX), _size(letter.value_bytes)),
        headers=tuple(
            HeaderView(
                name=one_line(name),
                value=content(_cut(value, _KEY_BYTES_MAX), None if value is None else len(value)),
            )
            for name, value in islice(letter.headers, _HEADERS_MAX)
        ),
        header_count=letter.header_count,
        replayed_ms=None if replayed is None else replayed.at_ms,
        replayed_by="" if replayed is None else replayed.by,
    )


def _cut(part: bytes | None, size: int) -> bytes | None:
    return None if part is None else part[:size]


def _size(size_bytes: int) -> int | None:
    return None if size_bytes < 0 else size_bytes


def _replay(replay: Replay, *, dry_run: bool) -> ReplayView:
    letter = replay.letter
    return ReplayView(
        number=letter.number,
        place=f"{letter.source}:{letter.offset}",
        records=replay.records,
        problem=replay.problem,
        words=replay.words(dry_run=dry_run),
    )
