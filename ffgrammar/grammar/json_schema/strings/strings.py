# cython: language_level=3
"""Expressions for JSON strings, and for keys.

A string without `pattern`, `format`, `enum` and `const` may be spelled in every way that JSON allows. All other
strings, and all keys, are spelled canonically: a character is escaped only if JSON demands it. So equal strings have
equal spellings: `"a"`, and not `"\\u0061"`. In `minLength` and `maxLength`, each code point counts as one character, no
matter how it is spelled.
"""

from __future__ import annotations

from collections.abc import Iterable

from ffgrammar.core.errors import GrammarError
from ffgrammar.core.turn import turn
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.spec.located import Located
from ffgrammar.grammar.json_schema.strings.formats import ADDRESS_LITERAL, IDN_LOCAL_PART, leap_seconds, pattern_of
from ffgrammar.grammar.json_schema.strings.lengths import with_length
from ffgrammar.grammar.json_schema.strings.quoted import quoted_ascii
from ffgrammar.regex.expr.cache import ExprCache
from ffgrammar.regex.expr.store import NOTHING, ExprStore
from ffgrammar.regex.lower.json_text import JSON_ANY, JSON_CANONICAL

__all__ = ["Strings"]

# Patterns and formats of one schema often occur in other schemas, too. This cache has at most 2 MiB.
_KEPT = ExprCache(2 << 20)
_ANY = ((0, 0xD7FF), (0xE000, 0x10FFFF))


class Strings:
    """String expressions in one store. The *body* of a string is the text between its quotes."""

    def __init__(self, store: ExprStore) -> None:
        self.store = store
        self.quote = store.literal(b'"')
        self.any_char = JSON_ANY.charset(store, _ANY)
        self.canonical_char = JSON_CANONICAL.charset(store, _ANY)
        self.canonical_body = store.repeat(self.canonical_char, 0, None)
        self.any_key = self.quoted(self.canonical_body)
        self._ranges: dict[tuple[int, int | None, tuple[int, ...]], int] = {}
        self._chars: dict[int, bool] = {}
        self._lists: dict[tuple[str, ...], int] = {}
        self._patterns: dict[str, int] = {}
        self._formats: dict[tuple[str, int], int] = {}
        self._spellings: dict[str, bytes] = {}

    def rebound(self, store: ExprStore) -> Strings:
        """The same expressions in another store, which has them under the same ids."""
        other = Strings.__new__(Strings)
        other.store = store
        other.quote = self.quote
        other.any_char = self.any_char
        other.canonical_char = self.canonical_char
        other.canonical_body = self.canonical_body
        other.any_key = self.any_key
        other._ranges = self._ranges.copy()
        other._chars = self._chars.copy()
        other._lists = self._lists.copy()
        other._patterns = self._patterns.copy()
        other._formats = self._formats.copy()
        other._spellings = {}
        return other

    def quoted(self, body: int) -> int:
        """A body between quotes."""
        return self.store.concat([self.quote, body, self.quote])

    def spelled(self, text: str) -> bytes:
        """The canonical spelling of a string, with its quotes. The hexadecimal digits of escapes are in lower case."""
        plain = self._plain(text)
        if plain is None:
            return b'"%b"' % "".join([_ESCAPES.get(char, char) for char in text]).encode()
        return plain

    def _plain(self, text: str) -> bytes | None:
        """The canonical spelling of a string, with its quotes, if none of its characters has several spellings."""
        found = self._spellings.get(text)
        if found is None:
            found = quoted_ascii(text)
            if found is None:
                plain = JSON_CANONICAL.plain(text)
                if plain is None:
                    return None
                found = b'"' + plain + b'"'
            self._spellings[text] = found
        return found

    def body(self, text: str) -> int:
        """The body of one string."""
        return JSON_CANONICAL.text(self.store, text)

    def key(self, text: str) -> int:
        """One string, canonically spelled."""
        plain = self._plain(text)
        if plain is not None:
            return self.store.literal(plain)
        return self.quoted(self.body(text))

    def any_of(self, texts: Iterable[str]) -> int:
        """Any one of these strings, canonically spelled."""
        key = tuple(texts)
        found = self._lists.get(key)
        if found is None:
            found = self._lists[key] = self._any_of(key, True)
        return found

    def _any_of(self, texts: tuple[str, ...], with_quotes: bool) -> int:
        """Any one of these strings, or of their bodies."""
        simple: list[bytes] = []
        others: list[int] = []
        for index, text in enumerate(texts):
            if index % 256 == 255:
                turn()
            plain = self._plain(text)
            if plain is not None:
                simple.append(plain if with_quotes else plain[1:-1])
            else:
                others.append(self.key(text) if with_quotes else self.body(text))
        found = self.store.literals(simple)
        return self.store.union([found, *others]) if others else found

    def other_keys(self, names: Iterable[str], bodies: Iterable[int]) -> int:
        """The keys that are none of the names, and whose bodies match none of the expressions `bodies`."""
        known = [*[self.quoted(body) for body in bodies], self.any_of(names)]
        return self.store.intersect([self.any_key, self.store.complement(self.store.union(known))])

    def of(self, shape: Shape) -> int:
        """The strings that a shape allows."""
        if shape.strings is not None:
            return self.any_of(shape.strings)
        return self.range(shape.min_length, shape.max_length, shape.patterns)

    def body_of(self, shape: Shape) -> int:
        """The bodies of the strings that a shape allows, canonically spelled."""
        if shape.strings is not None:
            return self._any_of(shape.strings, False)
        bodies = shape.patterns or (self.canonical_body,)
        return self.store.intersect(self._with_length(shape.min_length, shape.max_length, bodies))

    def keys(self, bodies: int, names: Iterable[str]) -> int:
        """The keys whose bodies match an expression, and that are none of the names.

        (The intersection stands inside the quotes, where the engine can take it apart.)
        """
        named = tuple(names)
        if named:
            bodies = self.store.intersect([bodies, self.store.complement(self._any_of(named, False))])
        return self.quoted(bodies)

    def range(self, low: int, high: int | None, bodies: tuple[int, ...]) -> int:
        """The strings of low to high (None: no bound) characters whose bodies match all of the expressions `bodies`."""
        if high is not None and high < low:
            return NOTHING
        key = (low, high, bodies)
        found = self._ranges.get(key)
        if found is None:
            if not bodies:
                found = self.quoted(self.store.repeat(self.any_char, low, high))
            else:
                body = self.store.intersect(self._with_length(low, high, bodies))
                found = NOTHING if self.store.is_nothing(body) else self.quoted(body)
            self._ranges[key] = found
        return found

    def _with_length(self, low: int, high: int | None, bodies: tuple[int, ...]) -> list[int]:
        """Expressions whose intersection matches the texts of low to high characters that all of `bodies` match."""
        parts = list(bodies)
        if not low and high is None:
            return parts
        for index, body in enumerate(parts):
            found = with_length(self.store, body, low, high, self._is_char)
            if found is not None:
                parts[index] = found
                return parts
        return [*parts, self.store.repeat(self.canonical_char, low, high)]

    def _is_char(self, expr: int) -> bool:
        """Whether an expression matches single characters only. False also if that is hard to see."""
        found = self._chars.get(expr)
        if found is None:
            store = self.store
            kind = store.node(expr)[0]
            # in intersections, complements and repeats, the search of `is_nothing` could take long
            simple = kind in ("set", "union", "concat")
            found = simple and store.is_nothing(store.intersect([expr, store.complement(self.canonical_char)]))
            self._chars[expr] = found
        return found

    def has_body(self, body: int, text: str) -> bool:
        """Whether the body of a string, canonically spelled, matches an expression."""
        return self.store.matches(body, self.spelled(text)[1:-1])

    def pattern(self, pattern: str, subschema: Located, *tokens: str) -> int:
        """The bodies in which an ECMA-262 pattern is found.

        Args:
            pattern: the pattern.
            subschema, tokens: its position, for error messages: a subschema, and the parts of the JSON pointer from
                there.
        """
        found = self._patterns.get(pattern)
        if found is None:
            try:
                found = _KEPT.get(self.store, ("pattern", pattern), lambda: self._search(pattern))
            except GrammarError as error:
                pointer = subschema.pointer(*tokens)
                raise type(error)(error.message, column=error.column, pointer=pointer) from error
            self._patterns[pattern] = found
        return found

    def _search(self, pattern: str) -> int:
        return self._compile(pattern, "ecma", search=True)

    def without(self, body: int) -> int:
        """The canonical bodies that the expression `body` does not match."""
        return self.store.intersect([self.canonical_body, self.store.complement(body)])

    def format(self, name: str, draft: int) -> int:
        """The bodies of a format in FORMATS, as a draft defines it."""
        found = self._formats.get((name, draft))
        if found is None:
            made = _KEPT.get(self.store, ("format", name, draft), lambda: self._format(name, draft))
            found = self._formats[name, draft] = made
        return found

    def _format(self, name: str, draft: int) -> int:
        store = self.store
        if name in ("hostname", "idn-hostname", "idn-email"):
            # imported here, because few schemas need its tables
            from ffgrammar.grammar.json_schema.strings import idn

            if name == "hostname":
                return idn.hostname(store, JSON_CANONICAL)
            if name == "idn-hostname":
                return idn.idn_hostname(store, JSON_CANONICAL)
            domain = store.union([idn.idn_hostname(store, JSON_CANONICAL), self._matching(ADDRESS_LITERAL)])
            return store.concat([self._matching(IDN_LOCAL_PART), store.literal(b"@"), domain])
        if name == "regex":
            from ffgrammar.grammar.json_schema.strings.regex_format import regex_format

            return regex_format(store, JSON_CANONICAL)
        found = self._matching(pattern_of(name, draft))
        if name not in ("time", "date-time"):
            return found
        leap = leap_seconds(name, store)
        if name == "date-time":
            leap = store.concat([self._matching(pattern_of("date", draft)), leap])
        return store.union([found, leap])

    def _matching(self, pattern: str) -> int:
        """The bodies that match a pattern of formats.py as a whole."""
        return self._compile(pattern, "rust", dot_all=True)

    def _compile(self, pattern: str, dialect: str, search: bool = False, dot_all: bool = False) -> int:
        # Imported here, because most schemas need no patterns. This makes the first compilation of a process 7 ms
        # faster.
        from ffgrammar.regex.lower.lowering import compile_regex

        return compile_regex(self.store, pattern, dialect, encode=JSON_CANONICAL, search=search, dot_all=dot_all)

    def matching(self, texts: Iterable[str], low: int, high: int | None, bodies: tuple[int, ...]) -> list[str]:
        """Those of the texts that have low to high (None: no bound) characters and match all expressions `bodies`."""
        return [
            text
            for text in texts
            if low <= len(text)
            and (high is None or len(text) <= high)
            and all(self.has_body(body, text) for body in bodies)
        ]


_ESCAPES = {chr(code): f"\\u{code:04x}" for code in range(32)} | {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}
