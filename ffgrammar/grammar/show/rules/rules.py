"""The rules of a grammar as people write them: with optional parts and repeats in place of helping nonterminals.

A front-end turns `item ("," item)*` into nonterminals that are left-recursive, because these are good for the parser.
Here such productions are folded to repeats, and nonterminals that no source has named are written where they are used.
The language stays the same. Bodies are trees as in characters.py, with ("lexeme", number) and ("rule", number) as
leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ffgrammar.grammar.derives import usable_terminals
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.productive import productive
from ffgrammar.grammar.show.patterns.characters import EMPTY_TEXT, alt, cat, rep
from ffgrammar.grammar.show.patterns.cuts import children
from ffgrammar.regex.syntax.parser import Node

__all__ = ["BLANK", "TOP", "Rules", "bodies_of"]

# A nonterminal of no source is written where it is used if its body has at most MAX_SIZE nodes, and MAX_DEPTH levels.
# If it is used several times it has at most MAX_SHARED nodes.
MAX_SIZE = 60
MAX_DEPTH = 8
MAX_SHARED = 4

# What may be skipped after a lexeme, where the notation does not skip by itself.
BLANK: Node = ("blank",)


# The number of a start that is made because the start of the grammar is also used inside.
TOP = -1


def _spaced(body: Node) -> Node:
    """A body with BLANK after each lexeme."""
    kind = body[0]
    if kind == "lexeme":
        return cat([body, BLANK])
    if kind in ("cat", "alt"):
        return (cat if kind == "cat" else alt)([_spaced(one) for one in body[1]])
    return rep(_spaced(body[1]), body[2], body[3]) if kind == "rep" else body


def bodies_of(grammar: GrammarIR) -> dict[int, list[tuple[int, ...]]]:
    """By nonterminal, the right-hand sides that derive some text. Of templates the conditions are left out.

    Nonterminals that the start does not reach are left out. The others are in the order in which the start reaches
    them; those that derive nothing have no right-hand sides.
    """
    usable = usable_terminals(grammar)
    alive = productive(grammar, usable)
    by_head: dict[int, list[tuple[int, ...]]] = {}
    templates = [
        (one.head, one.rhs if one.again is None else (*one.rhs, 2 * one.again + 1)) for one in grammar.templates
    ]
    for head, rhs in [*grammar.productions, *templates]:
        if all((alive if symbol & 1 else usable)[symbol >> 1] for symbol in rhs):
            by_head.setdefault(head, []).append(tuple(rhs))
    found: dict[int, list[tuple[int, ...]]] = {}
    waiting = [grammar.start >> 1]
    while waiting:
        head = waiting.pop()
        if head in found:
            continue
        found[head] = list(dict.fromkeys(by_head.get(head, [])))
        reached = [symbol >> 1 for rhs in found[head] for symbol in rhs if symbol & 1]
        waiting += reversed(dict.fromkeys(reached))
    return found


class Rules:
    """The rules of a grammar.

    Args:
        grammar: the grammar.

    Attributes:
        start: the number of the start.
        bodies: by nonterminal that is a rule, its body. The start comes first, and then each rule where it is reached.
    """

    def __init__(self, grammar: GrammarIR) -> None:
        self.start = grammar.start >> 1
        self._source = grammar.rules
        self._right_hand_sides = bodies_of(grammar)
        self._folded = {head: _folded(head, bodies) for head, bodies in self._right_hand_sides.items()}
        self._uses: dict[int, int] = {}
        for body in self._folded.values():
            for number in _rules_in(body):
                self._uses[number] = self._uses.get(number, 0) + 1
        self._whole: dict[int, Node] = {}
        self._kept = {self.start}
        self._join()
        reached = self._reached()
        self.bodies: dict[int, Node] = {head: self._whole[head] for head in reached}

    def spaced(self) -> dict[int, Node]:
        """The bodies with BLANK before all lexemes and after each one. The first one is that of the start, which is TOP
        if rules use the start."""
        bodies = {head: _spaced(body) for head, body in self.bodies.items()}
        if any(self.start in _rules_in(body) for body in self.bodies.values()):
            return {TOP: cat([BLANK, ("rule", self.start)]), **bodies}
        return {**bodies, self.start: cat([BLANK, bodies[self.start]])}

    def written_in(self, head: int) -> list[int]:
        """The nonterminals whose bodies the body of a rule has: its own, and those of what is written inside."""
        found: dict[int, None] = {}
        waiting = [head]
        while waiting:
            number = waiting.pop()
            if number not in found and (number == head or number not in self._kept):
                found[number] = None
                waiting += _rules_in(self._folded[number])
        return list(found)

    def _join(self) -> None:
        """Write the bodies of nonterminals that are not kept into those that use them; inner ones first."""
        underway: set[int] = set()
        waiting = [(self.start, False)]
        while waiting:
            head, entered = waiting.pop()
            if entered:
                underway.discard(head)
                body = self._whole[head] = self._replaced(self._folded[head])
                if not self._goes_inside(head, body):
                    self._kept.add(head)
                continue
            if head in self._whole or head in underway:
                continue
            underway.add(head)
            waiting.append((head, True))
            for number in _rules_in(self._folded[head]):
                if number in underway:
                    self._kept.add(number)
                elif number not in self._whole:
                    waiting.append((number, False))

    def _goes_inside(self, head: int, body: Node) -> bool:
        if head in self._kept or head < self._source:
            return False
        size, depth = _measure(body, MAX_SIZE)
        return depth <= MAX_DEPTH and size <= (MAX_SIZE if self._uses.get(head, 0) < 2 else MAX_SHARED)

    def _replaced(self, node: Node) -> Node:
        """A body with the bodies of nonterminals that are not kept."""
        kind = node[0]
        if kind == "rule":
            number = node[1]
            return node if number in self._kept or number not in self._whole else self._whole[number]
        if kind == "cat":
            return cat([self._replaced(one) for one in node[1]])
        if kind == "alt":
            return _factored(alt([self._replaced(one) for one in node[1]]))
        if kind == "rep":
            return self._repeated(self._replaced(node[1]), node[2], node[3])
        return node

    def _repeated(self, one: Node, lo: int, hi: int | None) -> Node:
        """A repeat. x, and then up to k further x, is up to k + 1 of x."""
        if (lo, hi) == (0, 1) and one[0] == "cat" and len(one[1]) == 2:
            first, rest = one[1]
            if rest[0] == "rep" and rest[1] == first and rest[2] == 0 and rest[3] is not None:
                return ("rep", first, 0, rest[3] + 1)
        return rep(one, lo, hi)

    def _reached(self) -> list[int]:
        """The rules that are used, each after the first one that uses it."""
        found: dict[int, None] = {}
        waiting = [self.start]
        while waiting:
            head = waiting.pop()
            if head not in found:
                found[head] = None
                waiting += reversed(list(dict.fromkeys(_rules_in(self._whole[head]))))
        return list(found)


def _folded(head: int, bodies: Sequence[tuple[int, ...]]) -> Node:
    """The body of a nonterminal, with its direct recursion on one side as a repeat."""
    own = 2 * head + 1
    left = [rhs[1:] for rhs in bodies if rhs and rhs[0] == own]
    if left:
        others = [rhs for rhs in bodies if not rhs or rhs[0] != own]
        return cat([_choice(others), rep(_choice([rhs for rhs in left if rhs]), 0, None)])
    right = [rhs[:-1] for rhs in bodies if rhs and rhs[-1] == own]
    others = [rhs for rhs in bodies if not rhs or rhs[-1] != own]
    if not right or not others:
        return _choice(bodies)
    return cat([rep(_choice(right), 0, None), _choice(others)])


def _factored(node: Node) -> Node:
    """A choice in which `a | a b | a b c` is written as `a (b c?)?`."""
    if node[0] != "alt":
        return node
    left = [list(one[1]) if one[0] == "cat" else [one] for one in node[1]]
    longest = [parts for parts in left if not any(_begins(parts, other) for other in left)]
    kept: list[Node] = []
    for parts in longest:
        # (a member that begins several longer ones is taken by the first of them)
        begun = [one for one in left if _begins(one, parts)]
        left = [one for one in left if one not in begun]
        kept.append(_nested(parts, sorted({len(one) for one in begun})))
    return alt(kept)


def _begins(parts: list[Node], longer: list[Node]) -> bool:
    return len(parts) < len(longer) and longer[: len(parts)] == parts


def _nested(parts: list[Node], ends: list[int]) -> Node:
    """A concatenation that may also end after some of its first parts."""
    last = ends[-1] if ends else 0
    node = cat(parts[last:])
    for begin, end in reversed(list(pairwise([0, *ends]))):
        node = cat([*parts[begin:end], rep(node, 0, 1)])
    return node


def _choice(bodies: Sequence[tuple[int, ...]]) -> Node:
    if not bodies:
        return EMPTY_TEXT
    return alt([cat([_leaf(symbol) for symbol in rhs]) for rhs in bodies])


def _leaf(symbol: int) -> Node:
    return ("rule" if symbol & 1 else "lexeme", symbol >> 1)


def _rules_in(body: Node) -> list[int]:
    """The nonterminals in a body, in its order."""
    found: list[int] = []
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node[0] == "rule":
            found.append(node[1])
        waiting += reversed(list(children(node)))
    return found


def _measure(body: Node, most: int) -> tuple[int, int]:
    """How many nodes and levels a body has; counting ends above `most` nodes."""
    size = deepest = 0
    waiting = [(body, 1)]
    while waiting and size <= most:
        node, depth = waiting.pop()
        size += 1
        deepest = max(deepest, depth)
        waiting += [(one, depth + 1) for one in children(node)]
    return size, deepest
