"""Schemas whose texts a small model brings to an end, and a prompt for each."""

from __future__ import annotations

from typing import Any

__all__ = ["PROMPTS", "SCHEMAS"]

CALL = {
    "anyOf": [
        {
            "type": "object",
            "properties": {"name": {"const": name}, "arguments": arguments},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for name, arguments in {
            "get_weather": {
                "type": "object",
                "properties": {"city": {"type": "string", "maxLength": 20}, "days": {"enum": [1, 3, 7]}},
                "required": ["city", "days"],
                "additionalProperties": False,
            },
            "send_email": {
                "type": "object",
                "properties": {"to": {"type": "string", "pattern": "^[a-z]{1,10}@example\\.com$"}},
                "required": ["to"],
                "additionalProperties": False,
            },
        }.items()
    ]
}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# Each has an end that a small model reaches.
SCHEMAS: list[Any] = [
    CALL,
    {"type": "boolean"},
    {"enum": ["red", "green", "blue"]},
    {"type": "integer", "minimum": 10, "maximum": 99},
    {"type": "string", "maxLength": 12},
    {"type": "array", "items": {"enum": [1, 2, 3]}, "minItems": 2, "maxItems": 4},
    _object(name={"type": "string", "maxLength": 10}, age={"type": "integer", "minimum": 0, "maximum": 120}),
    _object(date={"type": "string", "format": "date"}),
    _object(tags={"type": "array", "items": {"type": "string", "maxLength": 6}, "maxItems": 3}),
    _object(point=_object(x={"type": "integer", "minimum": -9, "maximum": 9}, y={"const": 0})),
    _object(status={"enum": ["active", "inactive", "unknown"]}, ready={"type": "boolean"}),
    {"const": {"a long constant": ["with", "several", "parts", 12345]}},
    {"type": "null"},
    _object(id={"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"}),
    {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 5}, {"enum": ["none"]}]},
    _object(color={"enum": ["red", "green"]}, size={"enum": ["small", "large"]}, in_stock={"type": "boolean"}),
]
PROMPTS = [
    f"Answer with a JSON value. Example number {number}: {'the weather ' * (number % 4)}Value: " for number in range(16)
]
