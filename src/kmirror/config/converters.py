"""
Converters: whether Connect would write the bytes that MirrorMaker 2's connectors hand to it.

These connectors give keys, values and headers as bytes. ByteArrayConverter writes them as they are;
JsonConverter writes base64 in an envelope of JSON, StringConverter the name of a Java object, and
the others fail at the first record. So a copy needs ByteArrayConverter, and nothing else is taken.
"""

from __future__ import annotations

from kmirror.config.entry import Entries, Findings
from kmirror.config.keys.connect import SIMPLE_HEADER_CONVERTER
from kmirror.config.keys.worker import BYTES_CONVERTER
from kmirror.config.worker import WorkerConfig

_WHAT_HAPPENS = {
    "JsonConverter": "JsonConverter would write base64 inside JSON",
    "StringConverter": "StringConverter would write the name of a Java object",
}


def check_converters(entries: Entries, worker: WorkerConfig, findings: Findings) -> None:
    """Refuse a connector whose records would not be what was read."""
    inherited = {
        "key.converter": worker.key_converter,
        "value.converter": worker.value_converter,
        "header.converter": worker.header_converter,
    }
    for name, default in inherited.items():
        entry = entries.get(name)
        text = default if entry is None else entry.text.strip()
        good: tuple[str, ...] = (BYTES_CONVERTER,)
        if name == "header.converter":
            # Connect's default: it would write headers as base64, and nobody means that.
            good = (BYTES_CONVERTER, SIMPLE_HEADER_CONVERTER)
        if _class_of(text) in map(_class_of, good):
            continue
        line = worker.entries().get(name) if entry is None else entry
        what = "it would fail at the first record"
        if line is None or not line.secret:
            what = _what_happens(text)
        expected = f"expected {BYTES_CONVERTER}: {what}, and that is no copy"
        if entry is None:
            shown = text if line is None else line.shown
            findings.missing(name, f"{expected}; the worker's file has {shown}", entries["name"])
        else:
            findings.wrong(entry, expected)


def _class_of(text: str) -> str:
    """Return a class's simple name; Connect finds plugins by that, and without their kind."""
    name = text.rpartition(".")[2]
    return name if name.endswith("Converter") else f"{name}Converter"


def _what_happens(text: str) -> str:
    name = _class_of(text)
    return _WHAT_HAPPENS.get(name, f"{name} would fail at the first record")
