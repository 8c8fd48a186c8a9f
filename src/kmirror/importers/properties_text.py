"""The properties file as text: a paragraph for each cluster and each flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kmirror.config.place import place_of
from kmirror.config.properties import written_line
from kmirror.importers.outcome import Line


def properties_text(
    lines: Sequence[Line], aliases: Sequence[str], head: str = "", *, secrets: bool = True
) -> str:
    """
    Write a properties file.

    Args:
        lines: In any order; those that were refused become comments.
        aliases: The clusters.
        head: The first line, a comment.
        secrets: Write secret values; otherwise `[hidden]`, which is for reading only.
    """
    text = f"# {head}\n" if head else ""
    paragraphs: dict[tuple[int, str], list[Line]] = {}
    for each in lines:
        paragraphs.setdefault(_paragraph(each.key, aliases), []).append(each)
    for at, (paragraph, its) in enumerate(sorted(paragraphs.items(), key=lambda item: item[0])):
        gap = "\n" if at or head else ""
        title = f"# {paragraph[1].partition(' ')[2]}\n" if paragraph[1] else ""
        text += gap + title + "".join(_written(its, secrets=secrets))
    return text


def _paragraph(key: str, aliases: Sequence[str]) -> tuple[int, str]:
    """Return a rank and a name that begins with a number: clusters have the order of the file."""
    place = place_of(key, aliases)
    if key.startswith("config.providers"):
        return 0, ""
    if place.cluster is not None:
        return 2, f"{aliases.index(place.cluster):03} {place.cluster}"
    if place.flow is not None:
        first, second = aliases.index(place.flow.source), aliases.index(place.flow.target)
        return 3, f"{first:03}-{second:03} {place.flow}"
    return 1, ""


def _written(lines: Sequence[Line], *, secrets: bool) -> Iterator[str]:
    for each in lines:
        if each.refused:
            words = " ".join(each.refused.split())
            yield f"# not supported: {words}\n# {written_line(each.key, each.shown)}\n"
            continue
        if each.because:
            yield f"# {' '.join(each.because.split())}\n"
        yield f"{written_line(each.key, each.text if secrets else each.shown)}\n"
