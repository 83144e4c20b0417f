r"""Syntax trees -> byte expressions.

Anchors need care, because an expression knows no "start of the text". A tree with anchors is four languages, by what
its matches assert: nothing, that they begin where the text begins, that they end where it ends, or both. Concatenation,
alternation and repeats map such quadruples to quadruples, exactly; most trees have no anchor inside and stay one
expression. A search is then

    any* plain any* | starts any* | any* ends | both

The tree is evaluated with an explicit stack: it may be nested deeper than Python recurses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.core.limits import Limits
from ffgrammar.regex.charset import ANY, from_ranges
from ffgrammar.regex.expr import EMPTY, NOTHING, ExprStore
from ffgrammar.regex.json_text import JSON_ANY, JSON_CANONICAL, JsonString, json_literal, json_string_chars
from ffgrammar.regex.syntax import MAX_REPEAT, Node, parse
from ffgrammar.regex.utf8 import UTF8, Encoding, Utf8

__all__ = [
    "JSON_ANY",
    "JSON_CANONICAL",
    "UTF8",
    "Encoding",
    "JsonString",
    "Utf8",
    "any_text",
    "compile_regex",
    "json_literal",
    "json_string_chars",
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
        UnsupportedError: an anchor stands where it is not a no-op, as in `a^b`.
    """
    value = _Lowering(store, encode, search=False).value(node)
    if isinstance(value, int):
        return value
    return store.union(value[:4])


def lower_search(node: Node, store: ExprStore, encode: Encoding = UTF8) -> int:
    """The expression of the texts that contain a match of the tree, as JSON Schema's `pattern` asks; anchors are exact.

    Raises:
        UnsupportedError: an anchor was written under (?m).
    """
    value = _Lowering(store, encode, search=True).value(node)
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


def any_text(store: ExprStore, encode: Encoding = UTF8) -> int:
    """Any text at all, as the encoding spells it."""
    return store.repeat(encode.charset(store, ANY), 0, None)


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


class _Lowering:
    """One evaluation of a tree, bottom up; a value is an expression, or `Anchored`."""

    def __init__(self, store: ExprStore, encode: Encoding, search: bool) -> None:
        self.store = store
        self.encode = encode
        self.search = search

    def value(self, root: Node) -> int | Anchored:
        # Listed parents first, children from right to left; backwards that is children first, from left to right.
        order: list[Node] = []
        stack = [root]
        while stack:
            node = stack.pop()
            kind = node[0]
            if kind == "cat":
                node = ("cat", _join_texts(node[1]))
                stack.extend(node[1])
            elif kind == "alt":
                node = self.split_literals(node[1])
                stack.extend(node[1])
            elif kind == "rep":
                node = _join_repeats(node)
                stack.append(node[1])
            elif kind == "not":
                stack.append(node[1])
            elif kind == "and":
                stack.extend(node[1:])
            order.append(node)
        values: list[int | Anchored] = []
        # By identity, because the tree keeps them alive and hashing \w, of 800 ranges, takes 13 us.
        sets: dict[int, int] = {}
        store, encode = self.store, self.encode
        for node in reversed(order):
            kind = node[0]
            if kind == "set":
                members = node[1]
                expr = sets.get(id(members))
                if expr is None:
                    expr = sets[id(members)] = encode.charset(store, members)
                values.append(expr)
            elif kind == "text":
                values.append(encode.text(store, node[1]))
            elif kind == "empty":
                values.append(EMPTY)
            elif kind == "rep":
                values[-1] = self.repeat(values[-1], node[2], node[3])
            elif kind in ("start", "end"):
                values.append(self.anchor(node))
            elif kind == "not":
                values[-1] = store.intersect([any_text(store, encode), store.complement(self.whole(values[-1]))])
            else:
                count = len(node) - 1 if kind == "and" else len(node[1])
                parts = values[len(values) - count :]
                del values[len(values) - count :]
                if kind == "cat":
                    values.append(self.concat(parts))
                elif kind == "alt":
                    values.append(self.union([*parts, *node[2]]))
                elif kind == "and":
                    values.append(store.intersect([self.whole(part) for part in parts]))
                else:
                    raise ValueError(f"unknown node {kind!r}")
        return values[0]

    def split_literals(self, branches: Sequence[Node]) -> Node:
        """Branches as ("alt", branches to evaluate, expressions): literal texts become one trie, sets one set."""
        store = self.store
        rest = []
        texts: list[str] = []
        ranges: list[tuple[int, int]] = []
        for branch in branches:
            kind = branch[0]
            if kind == "text":
                texts.append(branch[1])
            elif kind == "empty":
                texts.append("")
            elif kind == "set":
                ranges.extend(branch[1])
            else:
                rest.append(branch)
        if ranges:
            ranges.extend([(ord(text), ord(text)) for text in texts if len(text) == 1])
            texts = [text for text in texts if len(text) != 1]
        found = [self.encode.charset(store, from_ranges(ranges))] if ranges else []
        plain = [self.encode.plain(text) for text in texts]
        known = [text for text in plain if text is not None]
        if known:
            found.append(store.literals(known))
        if len(known) < len(texts):
            found.append(self.trie([text for text, spelled in zip(texts, plain, strict=True) if spelled is None]))
        return ("alt", rest, found)

    def trie(self, texts: list[str]) -> int:
        """Any of the texts, when characters have several spellings: branches at the first different character."""
        store, encode = self.store, self.encode
        root: dict[str, Any] = {}
        for text in texts:
            at = root
            for char in text:
                at = at.setdefault(char, {})
            at[""] = {}
        order: list[dict[str, Any]] = []
        stack = [root]
        while stack:
            at = stack.pop()
            order.append(at)
            stack.extend(at.values())
        made: dict[int, int] = {}
        for at in reversed(order):
            by_tail: dict[int, list[str]] = {}
            for char, below in at.items():
                if char:
                    by_tail.setdefault(made[id(below)], []).append(char)
            branches = [EMPTY] if "" in at else []
            for tail, chars in by_tail.items():
                members = from_ranges([(ord(char), ord(char)) for char in chars])
                branches.append(store.concat([encode.charset(store, members), tail]))
            made[id(at)] = store.union(branches)
        return made[id(root)]

    # Values

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


def _join_texts(nodes: Sequence[Node]) -> list[Node]:
    """Neighbouring texts, and sets of one character, as one text."""
    joined: list[Node] = []
    run: list[str] = []
    for node in nodes:
        kind = node[0]
        if kind == "text":
            run.append(node[1])
            continue
        if kind == "set" and len(node[1]) == 1 and node[1][0][0] == node[1][0][1]:
            run.append(chr(node[1][0][0]))
            continue
        if run:
            joined.append(("text", "".join(run)))
            run = []
        joined.append(node)
    if run:
        joined.append(("text", "".join(run)))
    return joined


def _join_repeats(node: Node) -> Node:
    """A repeat of a repeat as one repeat, where it is one: `(a{0,9}){0,9}` is `a{0,81}`, but `(a{2})*` is even.

    Derivatives of nested counters remember all of them at once, which is a set that grows with each level.
    """
    _, body, lo, hi = node
    while body[0] == "rep":
        _, inner, least, most = body
        # k of the body make k*least to k*most of `inner`; these ranges must meet from k = lo on
        meet = least <= 1 or (lo > 0 and (most is None or least - 1 <= lo * (most - least)))
        if not meet and lo != hi:
            break
        upper = 0 if 0 in (hi, most) else None if hi is None or most is None else hi * most
        if lo * least > MAX_REPEAT or (upper is not None and upper > MAX_REPEAT):
            break
        body, lo, hi = inner, lo * least, upper
    return ("rep", body, lo, hi)
