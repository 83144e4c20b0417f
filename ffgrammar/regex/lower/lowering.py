# cython: language_level=3
r"""From syntax trees to byte expressions: `lower` for whole texts, `lower_search` for texts that contain a match.

Most trees become one expression, part by part. Anchors need care, because an expression knows no "start of the text".
A tree with anchors is four languages, by what its matches assert: nothing (plain), that they begin where the text
begins (starts), that they end where it ends (ends), or both. Concatenation, alternation and repeats of such quadruples
are exact. A search is then

    any* plain any* | starts any* | any* ends | both

Trees with look-around or word boundaries are evaluated in another way, in look_around.py. It is imported only when a
pattern needs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.regex.expr.store import EMPTY, NOTHING, ExprStore
from ffgrammar.regex.lower.json_text import JSON_ANY, JSON_CANONICAL, JsonString
from ffgrammar.regex.lower.tree_walk import Walk, any_text
from ffgrammar.regex.lower.utf8 import UTF8, Encoding, Utf8
from ffgrammar.regex.syntax.parser import Node, parse

__all__ = [
    "JSON_ANY",
    "JSON_CANONICAL",
    "UTF8",
    "Encoding",
    "JsonString",
    "Utf8",
    "any_text",
    "compile_regex",
    "lower",
    "lower_search",
]


class Anchored(NamedTuple):
    """The languages of a tree, by what a match asserts.

    Attributes:
        plain: matches that assert nothing.
        starts, ends, both: matches that begin at the start of the text, end at its end, or do both.
        column: of an anchor, for messages; None without one.
    """

    plain: int
    starts: int
    ends: int
    both: int
    column: int | None


def lower(node: Node, store: ExprStore, encode: Encoding = UTF8) -> int:
    """The expression of the texts that a tree matches as a whole.

    Args:
        node: the tree (regex/syntax/parser.py).
        store: where the expression is made.
        encode: how characters are spelled in bytes.

    Raises:
        UnsupportedError: an anchor stands where it can fail, as in `a^b`, or inside `and` or `not`; or the tree has
            look-around or a word boundary.
        LimitError: the expression is too large.
    """
    try:
        value = Lowering(store, encode, search=False).value(node)
    except _LookAround as found:
        raise UnsupportedError(
            "in the pattern: look-around and word boundaries are supported in a search only", column=found.args[0]
        ) from None
    if isinstance(value, int):
        return value
    return store.union(value[:4])


def lower_search(node: Node, store: ExprStore, encode: Encoding = UTF8) -> int:
    """The expression of the texts that contain a match of a tree, which is what JSON Schema's `pattern` means.

    Anchors and look-around are exact. Arguments are those of `lower`.

    Raises:
        UnsupportedError: an anchor was written under (?m) or stands inside `and` or `not`, or a look-around cannot be
            expressed exactly.
        LimitError: the expression is too large, or look-around makes too many alternatives.
    """
    try:
        value = Lowering(store, encode, search=True).value(node)
    except _LookAround:
        from ffgrammar.regex.lower.look_around import search_with_looks

        return search_with_looks(node, store, encode)
    anything = any_text(store, encode)
    if isinstance(value, int):
        value = Anchored(value, NOTHING, NOTHING, NOTHING, None)
    plain, starts, ends, both, _ = value
    if any(store.is_nullable(part) for part in (plain, starts, ends)):
        # Every text contains an empty match.
        return anything
    found = []
    if plain:
        found.append(store.concat([anything, plain, anything]))
    if starts:
        found.append(store.concat([starts, anything]))
    if ends:
        found.append(store.concat([anything, ends]))
    if both:
        found.append(both)
    return found[0] if len(found) == 1 else store.union(found)


def compile_regex(
    store: ExprStore,
    pattern: str,
    dialect: str = "rust",
    *,
    encode: Encoding = UTF8,
    search: bool = False,
    ignore_case: bool = False,
    dot_all: bool = False,
    limits: Limits | None = None,
) -> int:
    """Parse and lower a pattern.

    Args:
        store, encode: as in `lower`.
        pattern, dialect, ignore_case, dot_all: as in `parse`.
        search: whether a text need only contain a match.
        limits: bounds of the parser; those of the store by default.

    Raises:
        GrammarError, UnsupportedError, LimitError, ValueError: as in `parse`, `lower` and `lower_search`.
    """
    node = parse(pattern, dialect, ignore_case=ignore_case, dot_all=dot_all, limits=limits or store.limits)
    return (lower_search if search else lower)(node, store, encode)


class _LookAround(Exception):
    """A tree has look-around or a word boundary. The argument of the exception is the column."""


class Lowering(Walk[Anchored]):
    """The evaluation of a tree without look-around and word boundaries."""

    def __init__(self, store: ExprStore, encode: Encoding, search: bool) -> None:
        super().__init__(store, encode)
        self.search = search

    def anchor(self, node: Node) -> Anchored:
        column = node[1] if len(node) > 1 else None
        if len(node) > 2 and self.search:
            raise UnsupportedError(
                "in the pattern: an anchor that also matches at lines, under (?m), is not supported; "
                "write \\A or \\z for the text, or spell out the line break",
                column=column,
            )
        if node[0] == "start":
            return Anchored(NOTHING, EMPTY, NOTHING, NOTHING, column)
        return Anchored(NOTHING, NOTHING, EMPTY, NOTHING, column)

    def look(self, node: Node, value: int | Anchored) -> NoReturn:
        raise _LookAround(node[-1])

    def word(self, node: Node) -> NoReturn:
        raise _LookAround(node[-1])

    def whole(self, value: int | Anchored) -> int:
        if isinstance(value, int):
            return value
        raise UnsupportedError("in the pattern: an anchor inside `and` or `not` is not supported", column=value.column)

    def concat(self, values: list[int | Anchored]) -> int | Anchored:
        plain_values = [value for value in values if isinstance(value, int)]
        if len(plain_values) == len(values):
            return self.store.concat(plain_values)
        # From right to left, because a concatenation leans to the right: from left to right, each step would copy all
        # that stands before it.
        tail = _Tail(self.store)
        for value in _runs(self.store, values):
            if not self.search:
                if (tail.starts or tail.both) and not _only_empty(value):
                    self.refuse(tail.column)
                if (value.ends or value.both) and not tail.only_empty:
                    self.refuse(value.column)
            tail.prepend(value)
        return self.simplest(
            tail.plain, self.store.union(tail.starts), tail.ends, self.store.union(tail.both), tail.column
        )

    def simplest(self, plain: int, starts: int, ends: int, both: int, column: int | None) -> int | Anchored:
        """The value of these languages. An empty match that asserts something is left out where the empty text matches
        with fewer assertions.
        """
        is_nullable = self.store.is_nullable
        empty_anywhere = is_nullable(plain)
        if both == EMPTY and (empty_anywhere or is_nullable(starts) or is_nullable(ends)):
            both = NOTHING
        if starts == EMPTY and empty_anywhere:
            starts = NOTHING
        if ends == EMPTY and empty_anywhere:
            ends = NOTHING
        return Anchored(plain, starts, ends, both, column) if starts or ends or both else plain

    def union(self, values: list[int | Anchored]) -> int | Anchored:
        plain_values = [value for value in values if isinstance(value, int)]
        if len(plain_values) == len(values):
            return self.store.union(plain_values)
        parts = [_anchored(value) for value in values]
        column = next((part.column for part in parts if part.column is not None), None)
        plain, starts, ends, both = map(self.store.union, zip(*(part[:4] for part in parts), strict=True))
        return self.simplest(plain, starts, ends, both, column)

    def repeat(self, value: int | Anchored, lo: int, hi: int | None) -> int | Anchored:
        store = self.store
        if isinstance(value, int):
            return store.repeat(value, lo, hi)
        if hi == 0:
            return EMPTY
        if hi == 1:
            return value if lo == 1 else self.union([EMPTY, value])
        if not self.search and not _only_empty(value):
            self.refuse(value.column)
        # In a match, all rounds before the last one that asserts the start are empty, and so are all rounds after the
        # first one that asserts the end. Between these two stand plain rounds. If a round may be empty, empty rounds
        # count towards `lo`, so there may be any number of plain rounds up to the bound.
        nullable = [store.is_nullable(part) for part in value[:4]]
        one_less = None if hi is None else hi - 1
        two_less = None if hi is None else hi - 2
        body = value.plain
        starts = store.concat(
            [value.starts, store.repeat(body, 0 if nullable[0] or nullable[1] else max(lo - 1, 0), one_less)]
        )
        ends = store.concat(
            [store.repeat(body, 0 if nullable[0] or nullable[2] else max(lo - 1, 0), one_less), value.ends]
        )
        between = store.repeat(body, 0 if any(nullable[:3]) else max(lo - 2, 0), two_less)
        both = [store.concat([value.starts, between, value.ends])]
        if lo <= 1 or any(nullable[:3]):
            both.append(value.both)
        if nullable[3]:
            # The empty text can be read as any number of empty rounds, as by `(^$){2}`. (If another language of `value`
            # has the empty text, the expressions above match it already.)
            both.append(EMPTY)
        return self.simplest(store.repeat(body, lo, hi), starts, ends, store.union(both), value.column)

    def refuse(self, column: int | None) -> NoReturn:
        raise UnsupportedError(
            "in the pattern: an anchor is supported only where the whole match begins or ends; remove it, or the text "
            "beside it",
            column=column,
        )


class _Tail:
    """The end of a concatenation, which grows at its front.

    Only empty parts may stand before a part that asserts the start of the text, or after one that asserts the end.

    Attributes:
        plain, ends: as in `Anchored`.
        starts, both: as in `Anchored`, each as a list of expressions. Their union is made once, at the end.
        start_is_empty: the empty text is in `starts` or in `both`.
        only_empty: nothing but the empty text matches so far.
        column: of an anchor, for messages.
    """

    def __init__(self, store: ExprStore) -> None:
        self.store = store
        self.plain, self.ends = EMPTY, NOTHING
        self.starts: list[int] = []
        self.both: list[int] = []
        self.start_is_empty = False
        self.only_empty = True
        self.column: int | None = None

    def prepend(self, value: Anchored) -> None:
        """Put a value before the tail."""
        store, is_nullable = self.store, self.store.is_nullable
        starts = [store.concat([value.starts, self.plain])]
        both = [store.concat([value.starts, self.ends])]
        ends = [store.concat([value.plain, self.ends])]
        if is_nullable(self.plain) or is_nullable(self.ends):
            ends.append(value.ends)
            both.append(value.both)
        if self.start_is_empty and (is_nullable(value.ends) or is_nullable(value.both)):
            # `$^`: the empty text
            both.append(EMPTY)
        if not (is_nullable(value.plain) or is_nullable(value.starts)):
            # Something stands before what asserted the start.
            self.starts, self.both, self.start_is_empty = [], [], False
        self.starts.extend([part for part in starts if part])
        self.both.extend([part for part in both if part])
        self.start_is_empty = self.start_is_empty or any(is_nullable(part) for part in [*starts, *both])
        self.ends = store.union(ends)
        self.plain = store.concat([value.plain, self.plain])
        self.only_empty = self.only_empty and _only_empty(value)
        self.column = self.column if value.column is None else value.column


def _anchored(value: int | Anchored) -> Anchored:
    return Anchored(value, NOTHING, NOTHING, NOTHING, None) if isinstance(value, int) else value


def _runs(store: ExprStore, values: list[int | Anchored]) -> Iterator[Anchored]:
    """The values from right to left. Neighbours without an anchor are joined to one value."""
    run: list[int] = []
    for value in reversed(values):
        if isinstance(value, int):
            run.append(value)
            continue
        if run:
            yield _anchored(store.concat(run[::-1]))
            run = []
        yield value
    if run:
        yield _anchored(store.concat(run[::-1]))


def _only_empty(value: Anchored) -> bool:
    return all(part in (NOTHING, EMPTY) for part in value[:4])
