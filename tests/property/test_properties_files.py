"""Whatever is written to a properties file is read back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kmirror.config.properties import decode, read, write

# Java's strings hold UTF-16: half a character is a value too, but not next to its other half.
texts = st.text(st.characters(exclude_categories=("Cs",)))


@given(st.lists(st.tuples(texts, texts)))
def test_writer_then_reader_is_identity(items: list[tuple[str, str]]) -> None:
    found = read(decode(write(items).encode()))
    assert [(p.key, p.value) for p in found] == items
    assert [p.line for p in found] == list(range(1, len(items) + 1))


@given(st.text())
def test_any_text_is_read_or_refused_with_its_line(text: str) -> None:
    """Nothing but MalformedProperties comes out, and lines are those of the text."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").count("\n") + 1
    if "\\" not in text:
        assert all(1 <= p.line <= lines for p in read(text))
