"""Strings that are written as they are, without quotes and escapes, under the keywords that bound them."""

from __future__ import annotations

from ffgrammar.core.errors import GrammarError, UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.json_schema.strings.formats import leap_seconds, pattern_of
from ffgrammar.grammar.lexemes import one_lexeme
from ffgrammar.grammar.structural_tag.entries import Entry
from ffgrammar.regex.expr.store import ANY_BYTES, MAX_REPEAT, ExprStore
from ffgrammar.regex.lower.lowering import compile_regex
from ffgrammar.regex.lower.tree_walk import any_text

__all__ = ["BOUNDS", "raw_string"]

BOUNDS = ("minLength", "maxLength", "pattern", "format")
FORMATS = ("date", "date-time", "duration", "email", "ipv4", "ipv6", "time", "uri", "uri-reference", "uuid")


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
    members = []
    for word in BOUNDS:
        if word in schema.value:
            members.append(_bound(word, schema.member(word), store, limits))
    space = compile_regex(store, blank)
    value = store.concat([space, store.intersect(members), space])
    before = store.intersect([value, store.complement(store.concat([ANY_BYTES, store.literal(end), ANY_BYTES]))])
    if store.is_nothing(before):
        raise schema.error("no string obeys this schema")
    return one_lexeme(store, limits, store.concat([before, store.literal(end)]), "string")


def _bound(word: str, entry: Entry, store: ExprStore, limits: Limits) -> int:
    """The strings that one keyword allows."""
    if word == "minLength":
        return any_text(store, least=entry.number(0, MAX_REPEAT))
    if word == "maxLength":
        return any_text(store, most=entry.number(0, MAX_REPEAT))
    if word == "format":
        return _format(entry, store)
    entry.text()
    try:
        return compile_regex(store, entry.value, "ecma", search=True, limits=limits)
    except GrammarError as error:
        raise type(error)(error.message, column=error.column, pointer=entry.pointer) from None


def _format(entry: Entry, store: ExprStore) -> int:
    name = entry.value
    if name not in FORMATS:
        raise entry.error(
            f"the format {name!r} cannot be enforced in XML parameters; there are {', '.join(FORMATS)}",
            UnsupportedError,
        )

    def matching(pattern: str) -> int:
        return compile_regex(store, pattern, dot_all=True)

    found = matching(pattern_of(name, 2020))
    if name not in ("time", "date-time"):
        return found
    leap = leap_seconds(name, store)
    return store.union([found, leap if name == "time" else store.concat([matching(pattern_of("date", 2020)), leap])])
