"""The few shapes of JSON Schema that OpenAPI documents of ours are made of."""

from __future__ import annotations

from kmirror.connect.model import JsonValue

Shape = dict[str, JsonValue]

TEXT: Shape = {"type": "string"}
WHOLE: Shape = {"type": "integer"}
FLAG: Shape = {"type": "boolean"}
TEXT_OR_NULL: Shape = {"type": ["string", "null"]}
ANYTHING: Shape = {"type": "object"}
SCALAR: Shape = {"type": ["string", "number", "boolean"]}


def object_shape(properties: dict[str, Shape], *optional: str) -> Shape:
    """Return the shape of an object that has these, and nothing else."""
    required: list[JsonValue] = [name for name in properties if name not in optional]
    found: Shape = {"type": "object", "properties": {**properties}, "additionalProperties": False}
    return found | ({"required": required} if required else {})


def list_shape(item: Shape) -> Shape:
    """Return the shape of a list."""
    return {"type": "array", "items": item}


def map_shape(value: Shape) -> Shape:
    """Return the shape of an object with any keys."""
    return {"type": "object", "additionalProperties": value}


def one_of_shape(*texts: str) -> Shape:
    """Return the shape of one of some texts."""
    return {"type": "string", "enum": list(texts)}


def named_shape(name: str) -> Shape:
    """Return what stands for a shape that has a name."""
    return {"$ref": f"#/components/schemas/{name}"}
