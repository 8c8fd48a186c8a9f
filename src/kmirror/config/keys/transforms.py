"""Connect's transforms and predicates by their classes, and what becomes of each."""

from __future__ import annotations

TRANSFORM_PACKAGE = "org.apache.kafka.connect.transforms."
PREDICATE_PACKAGE = f"{TRANSFORM_PACKAGE}predicates."

# What is the same for bytes as for records with fields, and so becomes Spark SQL.
EXACT_TRANSFORMS = ("DropHeaders", "Filter", "RegexRouter", "TimestampRouter")
PREDICATES = ("HasHeaderKey", "RecordIsTombstone", "TopicNameMatches")

_FIELDS = (
    "works on fields, and MirrorMaker 2's records are bytes without any: in Connect the task fails "
    "at the first record; write kmirror.select.key or kmirror.select.value"
)
_SCHEMAS = "works on schemas, and bytes have none"
# Why each of the others is refused. `*` stands for what ends in `$Key` and in `$Value`.
REFUSED_TRANSFORMS = {
    "Cast$*": _FIELDS,
    "ExtractField$*": _FIELDS,
    "Flatten$*": _FIELDS,
    "HeaderFrom$*": _FIELDS,
    "HoistField$*": "makes a field of the bytes, which ByteArrayConverter cannot write",
    "InsertField$*": _FIELDS,
    "InsertHeader": "makes a header of text, which ByteArrayConverter cannot write: in Connect the "
    "task fails at the first record; write kmirror.select.headers",
    "MaskField$*": _FIELDS,
    "ReplaceField$*": _FIELDS,
    "SetSchemaMetadata$*": _SCHEMAS,
    "TimestampConverter$*": "makes times of bytes, and Connect fails at that; write "
    "kmirror.select.value",
    "ValueToKey": _FIELDS,
}


def _spelled(name: str) -> tuple[str, ...]:
    return (name.replace("*", "Key"), name.replace("*", "Value")) if "*" in name else (name,)


TRANSFORMS: dict[str, str] = dict.fromkeys(EXACT_TRANSFORMS, "") | {
    spelled: why for name, why in REFUSED_TRANSFORMS.items() for spelled in _spelled(name)
}
"""Simple name -> why it is refused; empty for those that become SQL."""


def transform_named(text: str) -> str | None:
    """Return the simple name of a transform that a setting names in full, or simply."""
    name = text.removeprefix(TRANSFORM_PACKAGE)
    return name if name in TRANSFORMS else None


def predicate_named(text: str) -> str | None:
    """Return the simple name of a predicate that a setting names in full, or simply."""
    name = text.removeprefix(PREDICATE_PACKAGE)
    return name if name in PREDICATES else None
