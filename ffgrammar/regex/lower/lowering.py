r"""Syntax trees -> byte expressions.

Anchors need care, because an expression knows no "start of the text". A tree with anchors is four languages, by what
its matches assert: nothing, that they begin where the text begins, that they end where it ends, or both. Concatenation,
alternation and repeats map such quadruples to quadruples, exactly; most trees have no anchor inside and stay one
expression. A search is then

    any* plain any* | starts any* | any* ends | both

Look-around and word boundaries are in look_around.py, which evaluates the trees that have them in another way.
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
    """The languages of a tree by what a match asserts, and a column for messages."""

    plain: int
    starts: int
    ends: int
    both: int
    column: int | None


def lower(node: Node, store: ExprStore, encode: Encoding = UTF8) -> int:
    """The expression of the texts that the tree matches as a whole.

    Raises:
        UnsupportedError: an anchor stands where it is not a no-op, as in `a^b`; the tree has look-around.
    """
    try:
        value = Lowering(store, encode, search=False).value(node)
    except _LookAround as found:
        raise UnsupportedError(
            "in the pattern: look-around is supported in a search only", column=found.args[0]
        ) from None
    if isinstance(value, int):
        return value
    return store.union(value[:4])


def lower_search(node: Node, store: ExprStore, encode: Encoding = UTF8) -> int:
    """The expression of the texts that contain a match of the tree, as JSON Schema's `pattern` asks; anchors are exact.

    Raises:
        UnsupportedError: an anchor was written under (?m), or look-around cannot be said exactly.
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
        # an empty match is in every text
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
    """Parse and lower a pattern: a full match, or with `search` the texts that contain one."""
    node = parse(pattern, dialect, ignore_case=ignore_case, dot_all=dot_all, limits=limits or store.limits)
    return (lower_search if search else lower)(node, store, encode)


class _LookAround(Exception):
    """The tree has look-around; with its column."""


class Lowering(Walk[Anchored]):
    """The evaluation of a tree without look-around."""

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
        """What asserts the start needs emptiness before it, what asserts the end needs emptiness after it."""
        store, is_nullable = self.store, self.store.is_nullable
        plain_values = [value for value in values if isinstance(value, int)]
        if len(plain_values) == len(values):
            return store.concat(plain_values)
        # From right to left, so that each step adds to the front: the other way every step would copy all before it.
        # For the same reason, languages that are only handed on are lists until the end.
        plain, ends = EMPTY, NOTHING
        starts: list[int] = []
        both: list[int] = []
        start_is_empty = False  # whether the empty text is in `starts` or in `both`
        only_empty = True
        column: int | None = None
        for a in _runs(store, values):
            if not self.search:
                if (starts or both) and not _only_empty(a):
                    self.refuse(column)
                if (a.ends or a.both) and not only_empty:
                    self.refuse(a.column)
            empty_before = is_nullable(a.plain) or is_nullable(a.starts)
            new_starts = [store.concat([a.starts, plain])]
            new_both = [store.concat([a.starts, ends])]
            new_ends = [store.concat([a.plain, ends])]
            if is_nullable(plain) or is_nullable(ends):
                new_ends.append(a.ends)
                new_both.append(a.both)
            if start_is_empty and (is_nullable(a.ends) or is_nullable(a.both)):
                # `$^`: the empty text
                new_both.append(EMPTY)
            if not empty_before:
                starts, both, start_is_empty = [], [], False
            starts.extend([part for part in new_starts if part])
            both.extend([part for part in new_both if part])
            start_is_empty = start_is_empty or any(is_nullable(part) for part in [*new_starts, *new_both])
            ends = store.union(new_ends)
            plain = store.concat([a.plain, plain])
            only_empty = only_empty and _only_empty(a)
            column = column if a.column is None else a.column
        return self.simplest(plain, store.union(starts), ends, store.union(both), column)

    def simplest(self, plain: int, starts: int, ends: int, both: int, column: int | None) -> int | Anchored:
        """Without the assertions of empty matches that may be made without them."""
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
        # In a match, items before the last that asserts the start are empty, and so are those after the first that
        # asserts the end. When an item may be empty, any number of items up to `hi` may be left in between.
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
            # all items are empty: so is the text (where others may be empty, that is in their languages already)
            both.append(EMPTY)
        return self.simplest(store.repeat(body, lo, hi), starts, ends, store.union(both), value.column)

    def refuse(self, column: int | None) -> NoReturn:
        raise UnsupportedError(
            "in the pattern: an anchor is supported only where the whole match begins or ends; remove it, or the text "
            "beside it",
            column=column,
        )


def _anchored(value: int | Anchored) -> Anchored:
    return Anchored(value, NOTHING, NOTHING, NOTHING, None) if isinstance(value, int) else value


def _runs(store: ExprStore, values: list[int | Anchored]) -> Iterator[Anchored]:
    """The values from right to left, neighbours without anchors as one."""
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
