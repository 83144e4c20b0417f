"""Strings that are written as they are, without quotes and escapes, under the keywords that bound them."""

from __future__ import annotations

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.json_schema.strings.formats import FORMATS
from ffgrammar.grammar.lexemes import one_lexeme
from ffgrammar.grammar.names import one_of
from ffgrammar.grammar.raw_text import Strings, strings_expr, without
from ffgrammar.grammar.structural_tag.entries import Entry
from ffgrammar.regex.expr.store import MAX_REPEAT, ExprStore
from ffgrammar.regex.lower.lowering import compile_regex

__all__ = ["BOUNDS", "raw_string"]

BOUNDS = ("minLength", "maxLength", "pattern", "format")


def raw_string(schema: Entry, store: ExprStore, limits: Limits, blank: str, end: bytes) -> GrammarIR:
    """The strings of a schema, with white space around them, up to the first place where an end is complete.

    Args:
        schema: has any of `BOUNDS`.
        store: where expressions are made.
        limits: bounds on their cost.
        blank: the white space, as a regex.
        end: what follows the string. It does not overlap itself.

    Raises:
        GrammarError: a keyword is malformed, or no string obeys the schema.
        UnsupportedError: a pattern or a format cannot be enforced exactly.
        LimitError: a bound was reached.
    """
    space = compile_regex(store, blank)
    value = store.concat([space, _bounded(schema, store, limits), space])
    before = store.intersect([value, without([end], store)])
    if store.is_nothing(before):
        raise schema.error("no string obeys this schema")
    return one_lexeme(store, limits, store.concat([before, store.literal(end)]), "string")


def _bounded(schema: Entry, store: ExprStore, limits: Limits) -> int:
    """The strings that the keywords allow."""
    bounds = {word: schema.member(word) for word in BOUNDS if word in schema.value}
    strings = Strings(
        low=bounds["minLength"].number(0, MAX_REPEAT) if "minLength" in bounds else 0,
        high=bounds["maxLength"].number(0, MAX_REPEAT) if "maxLength" in bounds else None,
        formats=(_format(bounds["format"]),) if "format" in bounds else (),
    )
    if "pattern" not in bounds:
        return strings_expr(strings, store, limits)
    pattern = bounds["pattern"]
    pattern.text()
    try:
        return strings_expr(strings._replace(patterns=(pattern.value,)), store, limits)
    except GrammarError as error:
        raise type(error)(error.message, column=error.column, pointer=pattern.pointer) from None


def _format(entry: Entry) -> str:
    name = entry.value
    if not isinstance(name, str) or name not in FORMATS:
        message = f"the format {name!r} cannot be enforced in XML parameters; there are {one_of(sorted(FORMATS))}"
        raise entry.error(message, UnsupportedError)
    return name
