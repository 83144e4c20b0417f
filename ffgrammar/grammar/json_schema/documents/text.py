"""The JSON text of a schema as Python values, and the names of JSON types for messages."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal, InvalidOperation
from typing import Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits
from ffgrammar.core.path_hint import path_hint
from ffgrammar.core.plain_data import room_after

__all__ = ["check_size", "check_value", "kind_of", "read_text"]


def read_text(text: str, limits: Limits, what: str = "the schema") -> Any:
    """The schema of a JSON text. Numbers stay exact, whatever their size.

    Args:
        text: the text.
        limits: bounds on its length and depth.
        what: what messages call it.

    Raises:
        GrammarError: the text is not JSON, or a key comes twice in an object.
        LimitError: the text is too long or nested too deep.
    """
    if len(text) > limits.source_bytes:
        raise LimitError("source_bytes", limits.source_bytes, f"{what} has {len(text)} characters")
    try:
        return json.loads(text, parse_float=_decimal, parse_int=_integer, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        message = f"{what} is not JSON: {error.msg}{path_hint(text)}"
        raise GrammarError(message, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise LimitError(
            "nesting",
            limits.nesting,
            f"{what} is nested too deep for Python's reader of JSON, which gives up near 1,000 levels",
            advice="in Python, pass the schema as objects instead of text",
        ) from None
    except ValueError as error:
        raise GrammarError(f"{what} is not JSON: {error}") from None


def check_size(schema: Any, limits: Limits) -> None:
    """Bound the size of a schema that is given as Python objects by that of its text. An object that occurs in several
    places counts once.

    Raises:
        LimitError: it is too large.
    """
    if room_after(schema, limits.source_bytes):
        return
    met: set[int] = set()
    stack = [schema]
    size = 0
    while stack:
        one = stack.pop()
        size += 2 + (len(one) if isinstance(one, str) else 0)
        if size > limits.source_bytes:
            raise LimitError("source_bytes", limits.source_bytes, "the schema is too large")
        if isinstance(one, (dict, list)) and id(one) not in met:
            met.add(id(one))
            if isinstance(one, dict):
                stack.extend(one)
            stack.extend(one.values() if isinstance(one, dict) else one)


def check_value(value: Any, limits: Limits, pointer: str) -> None:
    """Bound the text of a value of `enum` or `const`. A list that occurs in several places counts in each of them.

    Raises:
        LimitError: it is too large.
    """
    if isinstance(value, (dict, list)) and not room_after(value, limits.source_bytes):
        size = _size(value)
        if size is None:
            raise LimitError("nesting", limits.nesting, "the value contains itself", f"at {pointer}")
        if size > limits.source_bytes:
            raise LimitError("source_bytes", limits.source_bytes, "the value is too large", f"at {pointer}")


def _size(value: dict[Any, Any] | list[Any]) -> int | None:
    """About the length of the text of a value; None if it contains itself. This does not recurse, because values may be
    nested deep."""
    known: dict[int, int] = {}  # the lengths of lists and objects, by id()
    begun: set[int] = set()
    stack = [value]
    while stack:
        one = stack[-1]
        inner = one if isinstance(one, list) else [*one, *one.values()]
        missing = [part for part in inner if isinstance(part, (dict, list)) and id(part) not in known]
        if missing and id(one) in begun:
            return None
        if missing:
            begun.add(id(one))
            stack.extend(missing)
            continue
        known[id(one)] = 2 + sum([known[id(part)] if id(part) in known else _scalar_size(part) for part in inner])
        stack.pop()
    return known[id(value)]


def _scalar_size(value: Any) -> int:
    return 2 + (len(value) if isinstance(value, str) else 0)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. A key that comes twice is refused, because one of its values would be ignored."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise GrammarError(f"an object has the key {json.dumps(twice)} twice")
    return found


def _decimal(text: str) -> Decimal:
    """A number with a fraction or an exponent."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"the exponent of {text[:40]} is too large") from None


def _integer(text: str) -> int | Decimal:
    """An integer. Python limits the digits that int() converts, so a long integer becomes a Decimal."""
    return int(text) if len(text) < 1000 else Decimal(text)


def kind_of(value: Any) -> str:
    """The JSON type of a Python value, for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, (int, float, Decimal)):
        return "a number"
    for kind, name in ((str, "a string"), (list, "an array"), (dict, "an object")):
        if isinstance(value, kind):
            return name
    return f"a {type(value).__name__}"
