"""The memory that answers of the source lie in, and that is used again."""

from __future__ import annotations

from pathlib import Path

from tests.support.java_program import connector_path, run_java

_PROGRAM = Path(__file__).with_name("AnswerMemories.java")
_MIB = 1024 * 1024


def arrays(*lines: str, most_bytes: int = 32 * _MIB) -> list[int]:
    """Give which array each line that takes memory got; all must have the size asked for."""
    printed = run_java(_PROGRAM, str(most_bytes), jars=connector_path(), lines="\n".join(lines))
    got = [[int(word) for word in line.split()] for line in printed.splitlines()]
    asked = [int(line.split()[1]) for line in lines if line.startswith("take")]
    assert [(remaining, capacity) for remaining, capacity, _ in got] == [
        (size, size) for size in asked
    ]
    return [which for _, _, which in got]


def test_what_was_given_back_is_used_again() -> None:
    """Also by a smaller answer, or one that fills the last MiB begun; never while it is used."""
    answer = 3 * _MIB + 1
    assert arrays(
        f"take {answer}",
        f"take {answer}",
        "give 0",
        f"take {4 * _MIB}",
        "give 1",
        f"take {_MIB}",
    ) == [0, 1, 0, 1]


def test_the_smallest_that_is_large_enough() -> None:
    """The large ones are for large answers."""
    sizes = [8 * _MIB, 2 * _MIB, 4 * _MIB]
    assert arrays(
        *(f"take {size}" for size in sizes),
        *(f"give {number}" for number in range(3)),
        f"take {3 * _MIB}",
        f"take {3 * _MIB}",
        f"take {9 * _MIB}",
    ) == [0, 1, 2, 2, 0, 3]


def test_small_answers_are_not_kept() -> None:
    """There are many of them, and the collector does not mind."""
    assert arrays("take 262143", "give 0", "take 262143", "take 0") == [0, 1, 2]


def test_no_more_is_kept_than_allowed() -> None:
    """The smallest go first."""
    sizes = [2 * _MIB, 8 * _MIB, 4 * _MIB]
    assert arrays(
        *(f"take {size}" for size in sizes),
        *(f"give {number}" for number in range(3)),
        f"take {2 * _MIB}",
        f"take {2 * _MIB}",
        f"take {2 * _MIB}",
        most_bytes=12 * _MIB,
    ) == [0, 1, 2, 2, 1, 3]
