"""Several recursive subschemas that all apply to one object, and hand the same property on to their next subschemas.

Where the subschemas of such a conjunction come back to their beginnings after 2, 3, 5 and 7 levels, the conjunction
comes back to its beginning after 210. For emitter.py each of these levels is another conjunction, with a symbol of its
own. But nearly all of them ask the same: what is asked depends only on the *kinds* of the subschemas at a level. So the
levels are written down as a text, with a byte for each set of kinds. A run of n equal levels that must have the
property takes log(n) productions:

    level: opening opening … next closing closing …        opening: "{" "\"n\"" ":"     closing: other* "}"
"""

from __future__ import annotations

import re
from math import lcm
from typing import Any, NamedTuple

from ffgrammar.core.errors import LimitError
from ffgrammar.grammar.json_schema.documents.conjunctions import NEVER, Conj, join
from ffgrammar.grammar.json_schema.emit.other_keys import key_classes, key_symbols, named_key
from ffgrammar.grammar.json_schema.emit.symbols import Symbols
from ffgrammar.grammar.json_schema.shape.shape import Shape
from ffgrammar.grammar.json_schema.shape.types import OBJ
from ffgrammar.grammar.json_schema.spec.keywords import BY_WORD, Role

__all__ = ["chain_symbol"]

# The assertions that a subschema of a chain may have.
_WORDS = ("type", "properties", "required", "additionalProperties")
# A level costs this part of an alternative.
LEVELS = 500
# A chain may have this many runs of equal levels. A level whose property is optional is a run by itself.
MOST_RUNS = 5000
# A set of kinds is a byte.
MOST_KINDS = 8


class _Link(NamedTuple):
    """A subschema of a chain: the property that it hands on, what else it says, and the number of the next one."""

    name: str
    kind: tuple[Any, ...]
    next: int


class _Level(NamedTuple):
    """What is asked of a level: what comes before and after the value of the property (None: there is no such object),
    and the symbol of the values without it."""

    opening: int | None
    closing: int
    others: int


class _NoChain(Exception):
    """The conjunction is not a chain."""


def chain_symbol(em: Symbols, conj: Conj) -> int | None:
    """The symbol of a conjunction whose subschemas all hand on the same property; None if this is not one.

    Raises:
        LimitError: the conjunction comes back to its beginning after too many levels.
    """
    if len(conj) < 2:
        return None
    try:
        return _Chain(em, conj).symbol()
    except (_NoChain, RecursionError):
        return None


class _Chain:
    """The chain of one conjunction."""

    def __init__(self, em: Symbols, conj: Conj) -> None:
        self._em = em
        self._links: dict[int, _Link] = {}
        # by kind: its number, and the conjunction of what it says beside the property
        self._kinds: dict[tuple[Any, ...], tuple[int, Conj]] = {}
        self._starts = list(dict.fromkeys([self._resolved(at) for at in conj]))
        self._name = self._link(self._starts[0]).name

    def symbol(self) -> int:
        """The symbol of the first level."""
        em = self._em
        head, levels = self._levels()
        known = {bits: self._level(bits) for bits in set(levels)}
        # sets that ask the same get the same byte
        first = {level: bits for bits, level in reversed(known.items())}
        levels = levels.translate(bytes([first[known[bits]] if bits in known else 0 for bits in range(256)]))
        period = (levels[head:] * 2).find(levels[head:], 1)
        before = self._runs(levels[:head], known)
        runs = [*before, *self._runs(levels[head : head + period], known)]
        if len(runs) > MOST_RUNS:
            raise _NoChain
        symbols = [em.builder.nonterminal("value") for _ in runs]
        for (bits, count), symbol, following in zip(runs, symbols, [*symbols[1:], symbols[len(before)]], strict=True):
            level = known[bits]
            if level.opening is not None:
                opening, closing = self._power(level.opening, count), self._power(level.closing, count)
                em.builder.add(symbol, (opening, following, closing))
            if level.others != em.never:
                em.builder.add(symbol, (level.others,))
        return symbols[0]

    def _runs(self, levels: bytes, known: dict[int, _Level]) -> list[tuple[int, int]]:
        """The runs of equal levels: their byte, and how many levels. A level with values that lack the property is a
        run by itself."""
        found: list[tuple[int, int]] = []
        for match in re.finditer(b"|".join([re.escape(bytes([bits])) + b"+" for bits in known]), levels):
            begin, end = match.span()
            bits, count = levels[begin], end - begin
            alone = known[bits].others != self._em.never
            if len(found) + alone * count > MOST_RUNS:
                raise _NoChain
            found.extend([(bits, 1)] * count if alone else [(bits, count)])
        return found

    def _power(self, symbol: int, count: int) -> int:
        if count == 1:
            return symbol
        half = self._power(symbol, count >> 1)
        return self._em.builder.seq([half, half, symbol] if count & 1 else [half, half])

    # The levels as text

    def _levels(self) -> tuple[int, bytes]:
        """The level that comes after the last one, and the sets of kinds of all levels, with a byte for each."""
        paths = [self._path(start) for start in self._starts]
        head = max([begin for begin, _ in paths])
        total = head + lcm(*[len(kinds) - begin for begin, kinds in paths])
        limits = self._em.limits
        if total > LEVELS * limits.alternatives:
            where = self._em.subschemas.list[self._starts[0]].pointer()
            message = f"references that are followed side by side come back only after {total} levels at {where}"
            raise LimitError("alternatives", limits.alternatives, message)
        both = 0
        for begin, kinds in paths:
            times, rest = divmod(total - begin, len(kinds) - begin)
            text = kinds[:begin] + kinds[begin:] * times + kinds[begin : begin + rest]
            both |= int.from_bytes(text, "little")
        return head, both.to_bytes(total, "little")

    def _path(self, start: int) -> tuple[int, bytes]:
        """The kinds of the subschemas from one on, each as a set of one, and the index of the one after the last."""
        index: dict[int, int] = {}
        kinds = bytearray()
        at = start
        while at not in index:
            index[at] = len(kinds)
            link = self._link(at)
            if link.name != self._name:
                raise _NoChain
            kinds.append(1 << self._kinds[link.kind][0])
            at = link.next
        return index[at], bytes(kinds)

    def _link(self, at: int) -> _Link:
        found = self._links.get(at)
        if found is not None:
            return found
        subschemas = self._em.subschemas
        subschema = subschemas.list[at]
        said = _assertions(subschema.keywords())
        properties = said.get("properties")
        if not isinstance(properties, dict) or len(properties) != 1 or not said.keys() <= set(_WORDS):
            raise _NoChain
        ((name, value),) = properties.items()
        following = subschemas.child(subschema, value, ("properties", name))
        if len(following) != 1:
            raise _NoChain
        rest = {**said, "properties": {name: True}}
        kind = (repr(rest), id(subschema.resource), subschema.scope, subschema.modern)
        if kind not in self._kinds:
            if len(self._kinds) == MOST_KINDS:
                raise _NoChain
            self._kinds[kind] = (len(self._kinds), subschemas.child(subschema, rest, ()))
        link = self._links[at] = _Link(name, kind, self._resolved(following[0]))
        return link

    def _resolved(self, at: int) -> int:
        """The number of the subschema that one stands for, if it is nothing but a reference."""
        subschemas = self._em.subschemas
        met = set()
        while at not in met and at != NEVER[0]:
            met.add(at)
            said = _assertions(subschemas.list[at].keywords())
            if said.keys() != {"$ref"}:
                return at
            following = subschemas.follow(subschemas.list[at], said["$ref"])
            if len(following) != 1:
                break
            at = following[0]
        raise _NoChain

    # What is asked of a level

    def _level(self, bits: int) -> _Level:
        em = self._em
        conj: Conj = ()
        for number, said in self._kinds.values():
            if bits >> number & 1:
                conj = join(conj, said)
        objects = [shape for shape in em.combiner.resolved_shapes(conj) if shape.types & OBJ]
        if len(objects) > 1 or not all([self._is_plain(shape) for shape in objects]):
            raise _NoChain
        subschema = em.subschemas.list[self._starts[0]]
        absent = em.subschemas.synthesized(subschema, {"properties": {self._name: False}})
        others = em.symbol(join(conj, absent), 1)
        if not objects:
            return _Level(None, em.never, others)
        bodies = []
        for keys, inner in key_classes(em, objects[0], {self._name: None}, None):
            value = em.symbol(inner, 1)
            if value != em.never:
                bodies.append((*key_symbols(em, keys, "key"), value))
        before = [em.growing([()], [(*body, em.comma) for body in bodies])] if bodies and em.any_order else []
        after = [em.growing([()], [(em.comma, *body) for body in bodies])] if bodies else []
        opening = [em.left_brace, *em.layout.line_break, *before, *named_key(em, self._name)]
        closing = [*after, *em.layout.last_break, em.right_brace]
        return _Level(em.builder.seq(opening), em.builder.seq(closing), others)

    def _is_plain(self, shape: Shape) -> bool:
        """Whether nothing is asked of the objects but their property, and of other keys all the same."""
        if shape.key_names or shape.some_keys or shape.min_properties > 1 or shape.max_properties is not None:
            return False
        return set(shape.required) <= {self._name} and not any([group.patterns for group in shape.groups])


def _assertions(schema: dict[Any, Any]) -> dict[Any, Any]:
    """A schema without annotations."""
    return {word: value for word, value in schema.items() if word in BY_WORD and BY_WORD[word].role != Role.ANNOTATION}
