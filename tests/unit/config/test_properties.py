"""java.util.Properties, read and written."""

from __future__ import annotations

import pytest

from kmirror.config.properties import MalformedProperties, decode, read, write


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("a=b", "a", "b"),
        ("a = b", "a", "b"),
        ("a:b", "a", "b"),
        ("a b", "a", "b"),
        ("a\tb", "a", "b"),
        ("  a=b ", "a", "b "),
        ("a", "a", ""),
        ("a==b", "a", "=b"),
        ("a = = b", "a", "= b"),
        (r"a\=b=c", "a=b", "c"),
        (r"a\ b=c", "a b", "c"),
        (r"a=\ b", "a", " b"),
        (r"a=\u0041\t\n\\", "a", "A\t\n\\"),
        (r"a=\ud83d\ude00", "a", "\U0001f600"),
        (r"a=\q", "a", "q"),
        ("a=b\\\n   c", "a", "bc"),
        ("a=b\\\r\n\tc", "a", "bc"),
        ("a=b\\\\", "a", "b\\"),
        ("a=b\\\n#c", "a", "b#c"),
        ("a=b\\", "a", "b"),
        ("\\\n# b=c\na", "a", ""),
        ("\\\n \\\na=\\", "a", ""),
        ("A->B.topics=x", "A->B.topics", "x"),
    ],
)
def test_one_property(text: str, key: str, value: str) -> None:
    (found,) = read(text)
    assert (found.key, found.value) == (key, value)


def test_comments_and_blank_lines_are_skipped_and_lines_counted() -> None:
    found = read("# a=1\n\n  ! b=2\n#c\\\nd = 4\\\n 5\n\re=6\r\nf=7")
    assert [(p.key, p.value, p.line) for p in found] == [
        ("d", "45", 5),
        ("e", "6", 8),
        ("f", "7", 9),
    ]


def test_a_key_given_twice_is_there_twice() -> None:
    assert [p.line for p in read("a=1\na=2")] == [1, 2]


def test_a_broken_unicode_escape_names_its_line() -> None:
    with pytest.raises(MalformedProperties) as caught:
        read("a=1\nb=\\u12g4")
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "content", ["a=\u00e9".encode(), "a=\u00e9".encode("latin-1"), b"\xef\xbb\xbfa=\xc3\xa9"]
)
def test_both_encodings_are_read(content: bytes) -> None:
    assert read(decode(content))[0].value == "\u00e9"


def test_what_is_written_is_ascii() -> None:
    assert write([("k \u00e9", " v#\n")]) == "k\\ \\u00e9=\\ v\\#\\n\n"
