"""From expressions over bytes to trees over characters, so that a lexeme can be written as a regular expression.

Expressions know bytes only: `é` is two bytes, and `é|à` is one byte and then one of two others. The trees that come out
are those of regex/syntax/parser.py: `lower` makes the same language of them. They also have ("and", node, ...),
("not", node), and ("digits", ...) for multiples of a number.

Most expressions are translated node by node. Where a node begins or ends inside a character, the node around it is
translated by its first characters: it is a union of sets of characters, each with what follows them.

Inside an intersection some members match more than UTF-8, as complements do. It is enough that one member matches UTF-8
only. Of the others only the UTF-8 texts count: they are translated in the mode RESTRICTED.
"""

from __future__ import annotations

from collections.abc import Sequence

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.edges import first_bytes
from ffgrammar.regex.expr.store import ExprStore
from ffgrammar.regex.syntax.charset import ANY, Charset, from_ranges, union
from ffgrammar.regex.syntax.charset import NOTHING as NO_CHARACTER
from ffgrammar.regex.syntax.parser import Node

__all__ = ["ANY_TEXT", "EMPTY_TEXT", "Characters", "alt", "cat", "rep"]

EMPTY_TEXT: Node = ("empty",)
NO_TEXT: Node = ("set", NO_CHARACTER)
ANY_TEXT: Node = ("rep", ("set", ANY), 0, None)

EXACT, RESTRICTED = 0, 1
LAST = 0x10FFFF
ASCII = (1 << 128) - 1
CONTINUATION = ((1 << 64) - 1) << 128
# The first bytes of characters: by how many bytes follow, the first and the last, and the first code point.
LEADS = ((1, 0xC2, 0xDF, 0x80), (2, 0xE0, 0xEF, 0x800), (3, 0xF0, 0xF4, 0x10000))
LEAD_BYTES = sum(1 << byte for byte in range(0xC2, 0xF5))
# How deep the translation by first characters may go, and how many expressions it may ask.
MAX_DEPTH = 100
MAX_STEPS = 20_000

# Ranges of numbers, each with the expression that follows a number of the range.
Tails = list[tuple[int, int, int]]


class Characters:
    """Translates the expressions of a store. It makes expressions there, so the store should be a copy.

    Args:
        store: the store.

    Attributes:
        work: how many derivatives by single bytes were taken so far.
    """

    def __init__(self, store: ExprStore) -> None:
        self.store = store
        self._trees: dict[tuple[int, int], Node | None] = {}
        self._tails: dict[tuple[int, int], tuple[Tails, bool]] = {}
        self._underway: set[tuple[int, int]] = set()
        self._steps = 0
        self.work = 0

    def tree(self, expr: int) -> Node:
        """The tree of an expression.

        Raises:
            UnsupportedError: it matches a text that is not UTF-8, or is too involved.
            LimitError: a bound of the store was reached.
        """
        found = self._tree(expr, EXACT)
        if found is None:
            raise UnsupportedError(
                "it matches bytes that are not UTF-8, or is too involved to be written over characters"
            )
        return found

    def followers(self, expr: int) -> list[tuple[Charset, int]]:
        """The sets of characters with which texts of an expression begin, each with the expression of what follows.

        Raises:
            UnsupportedError, LimitError: as for `tree`.
        """
        found, is_text = self._followers(expr)
        if not is_text:
            raise UnsupportedError("it matches bytes that are not UTF-8")
        return found

    def _tree(self, expr: int, mode: int) -> Node | None:
        """The tree, or None if the expression begins or ends inside a character."""
        if (expr, mode) not in self._trees:
            # An operand has a lower id than the node that uses it.
            for one in sorted(self._operands(expr, mode)):
                if (one, mode) not in self._trees:
                    self._trees[one, mode] = self._translated(one, mode)
        return self._trees[expr, mode]

    def _operands(self, expr: int, mode: int) -> set[int]:
        """An expression and its operands that are not translated yet."""
        found: set[int] = set()
        waiting = [expr]
        while waiting:
            one = waiting.pop()
            if one not in found and (one, mode) not in self._trees:
                found.add(one)
                waiting += self._parts(one)
        return found

    def _parts(self, expr: int) -> Sequence[int]:
        kind, *parts = self.store.node(expr)
        if kind in ("concat", "union", "intersect"):
            return parts
        return parts[:1] if kind in ("complement", "repeat") else ()

    def _translated(self, expr: int, mode: int) -> Node | None:
        kind, *parts = self.store.node(expr)
        made: Node | None
        if kind in ("nothing", "empty"):
            return NO_TEXT if kind == "nothing" else EMPTY_TEXT
        if kind == "any":
            return ANY_TEXT if mode == RESTRICTED else None
        if kind in ("multiples", "part"):
            return ("digits", kind, *parts)
        if kind == "set":
            return _of_set(parts[0], mode)
        if kind == "literal":
            made = _of_literal(parts[0], mode)
        elif kind == "concat":
            made = self._concat(parts[0], parts[1], mode)
        elif kind == "repeat":
            made = self._repeat(parts[0], parts[1], parts[2], mode)
        elif kind == "union":
            members = [self._trees[part, mode] for part in parts]
            made = None if None in members else alt([one for one in members if one is not None])
        elif kind == "complement":
            inner = self._trees[parts[0], RESTRICTED] if mode == RESTRICTED else None
            return None if inner is None else ("not", inner)
        else:
            return self._intersection(parts, mode)
        return self._by_first(expr, mode) if made is None else made

    def _concat(self, head: int, tail: int, mode: int) -> Node | None:
        before = self._tree(head, EXACT)
        after = self._trees[tail, mode]
        if after is None:
            return None
        if before is None and mode == RESTRICTED and not self._begins_inside(tail):
            before = self._trees[head, mode]
        return None if before is None else cat([before, after])

    def _repeat(self, inner: int, lo: int, hi: int | None, mode: int) -> Node | None:
        one = self._tree(inner, EXACT)
        if one is None and mode == RESTRICTED and not self._begins_inside(inner):
            one = self._trees[inner, mode]
        return None if one is None else rep(one, lo, hi)

    def _intersection(self, parts: Sequence[int], mode: int) -> Node | None:
        exact = [self._tree(part, EXACT) for part in parts]
        if mode == EXACT and all(one is None for one in exact):
            return None
        members = []
        for part, one in zip(parts, exact, strict=True):
            tree = one if one is not None else self._tree(part, RESTRICTED)
            if tree is None:
                return None
            if tree != ANY_TEXT:
                members.append(tree)
        return members[0] if len(members) == 1 else ("and", *members)

    def _begins_inside(self, expr: int) -> bool:
        """Whether some text begins inside a character."""
        return bool(first_bytes(self.store, expr) & CONTINUATION)

    def _by_first(self, expr: int, mode: int) -> Node | None:
        """The tree, by the first characters of the texts."""
        if self._begins_inside(expr) and mode == EXACT:
            return None
        self._steps += 1
        key = (expr, mode)
        if key in self._underway or len(self._underway) >= MAX_DEPTH or self._steps > MAX_STEPS:
            return None
        self._underway.add(key)
        try:
            found, is_text = self._followers(expr)
            if mode == EXACT and not is_text:
                return None
            members: list[Node] = [EMPTY_TEXT] if self.store.is_nullable(expr) else []
            for characters, target in found:
                after = self._tree(target, mode)
                if after is None:
                    return None
                members.append(cat([("set", characters), after]))
            return alt(members)
        finally:
            self._underway.discard(key)

    def _followers(self, expr: int) -> tuple[list[tuple[Charset, int]], bool]:
        """The followers; and whether every text begins with a character, or is empty."""
        store = self.store
        firsts = first_bytes(store, expr)
        self.work += firsts.bit_count()
        is_text = not firsts & ~(ASCII | LEAD_BYTES)
        by_target: dict[int, list[tuple[int, int]]] = {}
        for byte in range(128):
            if firsts >> byte & 1:
                by_target.setdefault(store.derivative(expr, byte), []).append((byte, byte))
        for width, first, last, least in LEADS:
            for lead in range(first, last + 1):
                if not firsts >> lead & 1:
                    continue
                tails, whole = self._after_lead(store.derivative(expr, lead), width)
                is_text = is_text and whole
                base = (lead & (0x3F >> width)) << 6 * width
                for lo, hi, target in tails:
                    low, high = max(base + lo, least), min(base + hi, LAST)
                    outside = base + lo < least or base + hi > LAST or (low < 0xE000 and high > 0xD7FF)
                    is_text = is_text and not (outside and not store.is_nothing(target))
                    if low <= high:
                        by_target.setdefault(target, []).append((low, high))
        found = [(from_ranges(ranges), target) for target, ranges in by_target.items() if not store.is_nothing(target)]
        return [(characters, target) for characters, target in found if characters], is_text

    def _after_lead(self, expr: int, width: int) -> tuple[Tails, bool]:
        """By the number that `width` continuation bytes spell, what follows them; and whether only such bytes may
        come."""
        if not width:
            return [(0, 0, expr)], True
        known = self._tails.get((expr, width))
        if known is not None:
            return known
        firsts = first_bytes(self.store, expr)
        self.work += firsts.bit_count()
        whole = not firsts & ~CONTINUATION and not self.store.is_nullable(expr)
        tails: Tails = []
        unit = 64 ** (width - 1)
        for digit in range(64):
            if not firsts >> (0x80 + digit) & 1:
                continue
            inner, inner_whole = self._after_lead(self.store.derivative(expr, 0x80 + digit), width - 1)
            whole = whole and inner_whole
            for lo, hi, target in inner:
                low, high = digit * unit + lo, digit * unit + hi
                if tails and tails[-1][1] + 1 == low and tails[-1][2] == target:
                    tails[-1] = (tails[-1][0], high, target)
                else:
                    tails.append((low, high, target))
        self._tails[expr, width] = tails, whole
        return tails, whole


def _of_set(members: bytes, mode: int) -> Node | None:
    single = [byte for byte in members if byte < 128]
    if len(single) < len(members) and mode == EXACT:
        return None
    if len(single) == 1:
        return ("text", chr(single[0]))
    return ("set", from_ranges([(byte, byte) for byte in single]))


def _of_literal(text: bytes, mode: int) -> Node | None:
    try:
        return ("text", text.decode())
    except UnicodeDecodeError:
        return NO_TEXT if mode == RESTRICTED else None


def cat(parts: Sequence[Node]) -> Node:
    """The nodes, one after another; texts side by side become one, and so do repeats of one node."""
    flat: list[Node] = []
    for part in parts:
        for one in part[1] if part[0] == "cat" else [part]:
            if one == NO_TEXT:
                return NO_TEXT
            if one[0] == "set" and len(one[1]) == 1 and one[1][0][0] == one[1][0][1]:
                one = ("text", chr(one[1][0][0]))
            if one == EMPTY_TEXT:
                continue
            if not flat:
                flat.append(one)
            elif one[0] == "text" and flat[-1][0] == "text":
                flat[-1] = ("text", flat[-1][1] + one[1])
            else:
                flat[-1:] = _joined(flat[-1], one)
    if len(flat) < 2:
        return flat[0] if flat else EMPTY_TEXT
    return ("cat", flat)


def _joined(one: Node, other: Node) -> list[Node]:
    """Two neighbours: one repeat if both repeat the same node and the first one has a fixed number of it."""
    inner, least, most = one[1:] if one[0] == "rep" else (one, 1, 1)
    inner_too, lo, hi = other[1:] if other[0] == "rep" else (other, 1, 1)
    if least != most or inner != inner_too:
        return [one, other]
    return [("rep", inner, least + lo, None if hi is None else least + hi)]


def alt(members: Sequence[Node]) -> Node:
    """Any one of the nodes; sets become one set, and the empty text an optional node."""
    characters: Charset = NO_CHARACTER
    others: list[Node] = []
    empty = False
    for member in members:
        for one in member[1] if member[0] == "alt" else [member]:
            if one[0] == "set":
                characters = union(characters, one[1])
            elif one[0] == "text" and len(one[1]) == 1:
                characters = union(characters, ((ord(one[1]), ord(one[1])),))
            elif one == EMPTY_TEXT:
                empty = True
            elif one[0] == "rep" and one[2:] == (0, 1):
                empty = True
                others.append(one[1])
            else:
                others.append(one)
    if characters:
        single = characters[0][0] if len(characters) == 1 and characters[0][0] == characters[0][1] else None
        others.append(("set", characters) if single is None else ("text", chr(single)))
    if not others:
        return EMPTY_TEXT if empty else NO_TEXT
    made: Node = others[0] if len(others) == 1 else ("alt", others)
    return rep(made, 0, 1) if empty else made


def rep(one: Node, lo: int, hi: int | None) -> Node:
    """A node repeated lo to hi times (None: without an upper bound)."""
    if (lo, hi) == (0, 1) and one[0] == "rep" and one[2] < 2:
        return ("rep", one[1], 0, one[3])
    if one[0] == "rep" and (lo, hi) == (1, 1):
        return one
    return EMPTY_TEXT if one == EMPTY_TEXT else ("rep", one, lo, hi)
