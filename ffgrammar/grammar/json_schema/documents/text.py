"""The JSON text of a schema as Python values, and how values are spoken of in messages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from ffgrammar.core.errors import GrammarError, LimitError
from ffgrammar.core.limits import Limits

if TYPE_CHECKING:
    from ffgrammar.grammar.json_schema.documents.subschemas import Subschema

__all__ = ["check_names", "kind_of", "read_text"]


def read_text(text: str, limits: Limits) -> Any:
    """The schema of a JSON text, with numbers of any size kept exact."""
    if len(text) > limits.source_bytes:
        raise LimitError("source_bytes", limits.source_bytes, f"the schema has {len(text)} characters")
    try:
        return json.loads(text, parse_float=_decimal, parse_int=_integer)
    except json.JSONDecodeError as error:
        raise GrammarError(f"the schema is not JSON: {error.msg}", line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise LimitError("nesting", limits.nesting, "the schema's JSON is nested too deep to be read") from None
    except ValueError as error:
        raise GrammarError(f"the schema is not JSON: {error}") from None


def _decimal(text: str) -> Decimal:
    """A number with a fraction or an exponent."""
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"the exponent of {text[:40]} is too large") from None


def _integer(text: str) -> int | Decimal:
    """An integer; Python converts no longer ones, but as decimals."""
    return int(text) if len(text) < 1000 else Decimal(text)


def check_names(names: Iterable[Any], subschema: Subschema, *tokens: str) -> None:
    """Raise unless all the keys of a dict, tokens being the way to it from the place, are strings, as JSON's are."""
    for name in names:
        if not isinstance(name, str):
            raise GrammarError(f"a key is a string, not {name!r:.40}", pointer=subschema.pointer(*tokens))


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
