"""The front-end for texts that are written as they are, without quotes and escapes: a sentence is one lexeme.

Formats like XML write a string argument so: `<parameter=city>Oslo</parameter>`. A rule says which strings there may be,
and what ends them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.limits import Limits
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.json_schema.strings.formats import ADDRESS_LITERAL, IDN_LOCAL_PART, leap_seconds, pattern_of
from ffgrammar.grammar.lexemes import one_lexeme
from ffgrammar.regex.expr.store import ANY_BYTES, NOTHING, ExprStore
from ffgrammar.regex.lower.lowering import compile_regex
from ffgrammar.regex.lower.tree_walk import any_text
from ffgrammar.regex.lower.utf8 import UTF8

__all__ = ["RawText", "Strings", "build", "strings_expr", "without"]


class Strings(NamedTuple):
    """A set of strings. (A tuple of plain values, so that it can be the key of a cache.)

    Attributes:
        low, high: how many characters they have at least and at most; high None: no bound.
        patterns: ECMA-262 patterns that are found in each.
        formats: formats of JSON Schema that each has.
        listed: the only strings that there are; None: they are not listed.
    """

    low: int = 0
    high: int | None = None
    patterns: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    listed: tuple[str, ...] | None = None


@dataclass(frozen=True)
class RawText:
    """What may be written.

    Attributes:
        among: the text is in one of these sets.
        excluded: texts that are nowhere in it.
        not_first: characters with which it does not begin.
        end: what is written after it. One of `excluded` must be a part of `end`, so that the first `end` ends the text.
    """

    among: tuple[Strings, ...] = (Strings(),)
    excluded: tuple[str, ...] = ()
    not_first: str = ""
    end: str = ""


def build(rule: RawText, store: ExprStore, limits: Limits) -> GrammarIR:
    """The grammar of a rule.

    Raises:
        GrammarError: a pattern is malformed, or no text obeys the rule.
        UnsupportedError: a pattern cannot be enforced exactly.
        LimitError: a bound was reached.
    """
    members = [store.union([strings_expr(one, store, limits) for one in rule.among])]
    if rule.excluded:
        members.append(without([one.encode() for one in rule.excluded], store))
    if rule.not_first:
        first = store.literals([one.encode() for one in rule.not_first])
        members.append(store.complement(store.concat([first, ANY_BYTES])))
    text = store.intersect(members)
    if store.is_nothing(text):
        raise GrammarError("no text obeys this schema and can be written in this place")
    if rule.end:
        text = store.concat([text, store.literal(rule.end.encode())])
    return one_lexeme(store, limits, text, "text")


def without(texts: list[bytes], store: ExprStore) -> int:
    """The expression of all bytes in which some texts are nowhere."""
    return store.complement(store.concat([ANY_BYTES, store.literals(texts), ANY_BYTES]))


def strings_expr(strings: Strings, store: ExprStore, limits: Limits) -> int:
    """The expression of a set of strings. Raises as `build`."""
    if strings.high is not None and strings.high < strings.low:
        return NOTHING
    whole = any_text(store)
    members = [store.repeat(UTF8.charset(store, _ANY), strings.low, strings.high)]
    if strings.listed is not None:
        members.append(store.literals([one.encode() for one in strings.listed]))
    for pattern in strings.patterns:
        members.append(compile_regex(store, pattern, "ecma", search=True, limits=limits))
    for name in strings.formats:
        members.append(_format(name, store))
    return store.intersect([whole, *members])


_ANY = ((0, 0xD7FF), (0xE000, 0x10FFFF))


def _format(name: str, store: ExprStore) -> int:
    """The strings of a format, as draft 2020-12 defines it."""
    if name in ("hostname", "idn-hostname", "idn-email"):
        # imported here, because few schemas need its tables
        from ffgrammar.grammar.json_schema.strings import idn

        if name == "hostname":
            return idn.hostname(store, UTF8)
        if name == "idn-hostname":
            return idn.idn_hostname(store, UTF8)
        domain = store.union([idn.idn_hostname(store, UTF8), _matching(ADDRESS_LITERAL, store)])
        return store.concat([_matching(IDN_LOCAL_PART, store), store.literal(b"@"), domain])
    if name == "regex":
        from ffgrammar.grammar.json_schema.strings.regex_format import regex_format

        return regex_format(store, UTF8)
    found = _matching(pattern_of(name, 2020), store)
    if name not in ("time", "date-time"):
        return found
    leap = leap_seconds(name, store)
    if name == "date-time":
        leap = store.concat([_matching(pattern_of("date", 2020), store), leap])
    return store.union([found, leap])


def _matching(pattern: str, store: ExprStore) -> int:
    return compile_regex(store, pattern, "rust", dot_all=True)
