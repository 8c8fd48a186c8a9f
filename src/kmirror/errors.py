"""
The exception tree.

* MirrorError
  x ConfigError               the properties file is wrong; carries every problem found
  x ClusterError              a cluster refused a request, or could not be reached
    + ClusterUnavailable          no broker answered in time
    + NotAuthorized               an ACL is missing; names the operation and resource
    + ProducerFenced              another process has taken this one's transactional id
  x PartitionError            one topic-partition is parked; the others go on
    + PositionMissing             the target has records, but there is no position
    + DataGap                     the source no longer holds the next record
    + LogTruncated                the source lost records that were copied
    + TargetLostRecords           the target lost records that it had acknowledged
    + TopicRecreated              the source topic has a new topic id
    + TopicQuarantined            the topic that was copied is gone, and its copy is kept as it is
    + RecordRefused               the target refuses one record
  x Fenced                    a newer driver owns this flow
  x Held                      a failover or promotion holds this flow; retried
  x NameTaken                 another flow uses this one's names on the target
  x MoveRefused               groups cannot be moved to the other cluster now
  x RequestRefused            a Connect worker refuses a request; nothing has been changed
    + NotFound                    no such connector, task, plugin or logger
    + AlreadyExists               a connector has that name
    + BadRequest                  what is asked is not possible, or its settings are wrong
    + RebalanceNeeded             the workers are finding out who has what; retried
  x NotAllowed                who asks has a role that may not
  x ApiRefused                a console refused what was asked over its API
  x PipelineError             Spark refused the query, or a task failed
  x JvmLost                   the JVM ended; this process cannot start it again
  x EnvironmentProblem        Java, jars or cores are missing on this machine

`retriable` says whether the cause usually passes by itself. Every instance may carry a *hint*: what
the operator can do about it.
"""

from __future__ import annotations

from dataclasses import dataclass

_BREAKS = frozenset("\n\r\t")


class MirrorError(Exception):
    """Base of all errors that kmirror raises on purpose."""

    retriable = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.hint, self.__dict__))

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


def _rebuild(
    cls: type[MirrorError], message: str, hint: str, state: dict[str, object]
) -> MirrorError:
    """Unpickle without calling a subclass's own constructor."""
    error = cls.__new__(cls)
    Exception.__init__(error, message)
    error.message, error.hint = message, hint
    error.__dict__.update(state)
    return error


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """
    One problem or warning about a properties file.

    Args:
        where: `file:line`, or the file alone for a key that is missing.
        key: The key as written.
        value: The value as written; `[hidden]` if the key is secret.
        expected: What was expected, and what to do.
    """

    where: str
    key: str
    value: str | None
    expected: str

    @property
    def words(self) -> str:
        """What is wrong, without where."""
        value = "" if self.value is None else f" = {self.value}"
        return one_line(f"{self.key}{value}: {self.expected}")

    def __str__(self) -> str:
        return f"{one_line(self.where)}: {self.words}"


def one_line(text: str) -> str:
    """Escape characters that would break a log line or control a terminal."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def visible(text: str) -> str:
    """Escape what nobody would see in a text, or what would turn it round; breaks stay."""
    if text.isprintable():
        return text
    return "".join(char if char in _BREAKS else one_line(char) for char in text)


class ConfigError(MirrorError):
    """
    The properties file cannot be used.

    Args:
        problems: Everything that is wrong.
        warnings: Everything that is doubtful.
    """

    def __init__(self, problems: tuple[Problem, ...], warnings: tuple[Problem, ...] = ()) -> None:
        text = f"{_counted(problems, 'problem')} in the configuration:\n{_listed(problems)}"
        if warnings:
            # A line without effect is often why another one is missed.
            text += f"\nand {_counted(warnings, 'warning')}:\n{_listed(warnings)}"
        super().__init__(text)
        self.problems = problems
        self.warnings = warnings


def _counted(found: tuple[Problem, ...], what: str) -> str:
    return f"{len(found)} {what}" if len(found) == 1 else f"{len(found)} {what}s"


def _listed(found: tuple[Problem, ...]) -> str:
    return "\n".join(f"  {problem}" for problem in found)


class ClusterError(MirrorError):
    """A cluster refused a request, or could not be reached."""


class ClusterUnavailable(ClusterError):
    """No broker answered in time; a retry may help."""

    retriable = True


class NotAuthorized(ClusterError):
    """The cluster refused the operation to this principal."""


class ProducerFenced(ClusterError):
    """Another process has taken a transactional id; this one's transaction was not committed."""


class PartitionError(MirrorError):
    """One topic-partition cannot be continued correctly. It is parked; the others go on."""


class PositionMissing(PartitionError):
    """The target holds records of this partition, but no position says which came last."""


class DataGap(PartitionError):
    """The source no longer holds the next records, usually because of retention."""


class LogTruncated(PartitionError):
    """The source lost records that were copied already; others may have their offsets now."""


class TargetLostRecords(PartitionError):
    """The target lost records that it had acknowledged; others may have their offsets now."""


class TopicRecreated(PartitionError):
    """The source topic was deleted and recreated: its offsets mean something else now."""


class TopicQuarantined(PartitionError):
    """The topic that was copied was deleted; no other topic of its name is copied over it."""


class RecordRefused(PartitionError):
    """The target refuses one record on every attempt."""


class Fenced(MirrorError):
    """A newer driver owns this flow; *owner* says which, *process* as `Owner.process` does."""

    def __init__(self, message: str, *, owner: str, process: str = "", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.owner = owner
        self.process = process


class Held(MirrorError):
    """A failover or a promotion holds this flow; *generation* is that of the hold."""

    retriable = True

    def __init__(self, message: str, *, generation: int, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.generation = generation


class NameTaken(MirrorError):
    """Another flow has the same names on the same target cluster; rename one of the two."""


class MoveRefused(MirrorError):
    """Groups cannot be moved to the other cluster now; nothing has been changed."""


class OrderRefused(MirrorError):
    """What was ordered of a flow cannot be, or would do harm; nothing has been changed."""


class RequestRefused(MirrorError):
    """A Connect worker refuses a request; nothing has been changed."""


class NotFound(RequestRefused):
    """There is no such connector, task, plugin or logger."""


class AlreadyExists(RequestRefused):
    """There is a connector of that name."""


class BadRequest(RequestRefused):
    """What is asked is not possible, or its settings are wrong."""


class RebalanceNeeded(RequestRefused):
    """Workers are finding out who has what; the same request may work in a moment."""

    retriable = True


class NotAllowed(MirrorError):
    """Who asks has a role that may not do it; nothing has been changed."""


class ApiRefused(MirrorError):
    """
    A console refused what was asked over its REST API.

    Args:
        status: Of HTTP.
        message: What it said.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class CheckpointUnreadable(MirrorError):
    """A stream engine's checkpoint is none, is of an unknown version, or would be overwritten."""


class PipelineError(MirrorError):
    """Spark refused the query, or a task failed."""

    retriable = True


class JvmLost(MirrorError):
    """The JVM that does the work has ended; a process cannot start it a second time."""


class EnvironmentProblem(MirrorError):
    """Java, a jar, a core or a folder is missing on this machine, or cannot be used."""
