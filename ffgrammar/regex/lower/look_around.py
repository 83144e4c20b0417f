r"""Look-around and word boundaries, by intersection and complement.

A condition stands between two characters: the text before must be in one language, the text after in another. `(?=x)`
asks for `x any*` after it, `(?!x)` for the complement, `^` for nothing before it. `\b` is two alternatives, each of
which asks for something on both sides. So a tree becomes alternatives of the form

    e0 c1 e1 c2 ... cn en

with expressions e and conditions c. These alternatives are called chains. If the conditions about the text before come
first, and those about the text after last, they nest, and the chain is one expression. With two conditions of each
kind it is `((e0 & before1) e1 & before2) e2 (after3 & e3 (after4 & e4))`. Where conditions cross, as in `\bword\b`,
one that sees only a few characters is first settled: decided by the expression beside it (look_around_chains.py).

Loops whose conditions see into the next round, as in `(-(?=[a-z])|[a-z])*`, are in look_around_loops.py.
"""

from __future__ import annotations

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, ExprStore
from ffgrammar.regex.lower.look_around_chains import FREE, Chain, Chains, Condition, Loop, Value
from ffgrammar.regex.lower.tree_walk import Walk, any_text
from ffgrammar.regex.lower.utf8 import Encoding
from ffgrammar.regex.syntax.charset import negate
from ffgrammar.regex.syntax.parser import Node

__all__ = ["search_with_looks"]

# A loop with conditions is written out if that makes no more alternatives than this.
MAX_UNROLLED = 16


def search_with_looks(node: Node, store: ExprStore, encode: Encoding) -> int:
    """The expression of the texts that contain a match of a tree.

    Raises:
        UnsupportedError: a condition cannot be expressed exactly; with its column.
        LimitError: there are too many alternatives, or the expression is too large.
    """
    looking = Looking(store, encode)
    anything = looking.anything
    value = looking.concat([anything, looking.value(_trimmed(node)), anything])
    if isinstance(value, int):
        return value
    found = store.union([looking.chains.whole_chain(chain) for chain in value])
    # Complements are relative to all byte strings, so `found` may match some that are no text.
    return store.intersect([anything, found])


class Looking(Walk[Value]):
    """The evaluation of a tree with look-around."""

    def __init__(self, store: ExprStore, encode: Encoding) -> None:
        super().__init__(store, encode)
        self.chains = Chains(store, encode)
        self.anything = any_text(store, encode)

    # Conditions

    def anchor(self, node: Node) -> Value:
        column = node[1] if len(node) > 1 else None
        if len(node) > 2:
            raise UnsupportedError(
                "in the pattern: an anchor that also matches at lines, under (?m), is not supported", column=column
            )
        if node[0] == "start":
            return self.at([Condition(EMPTY, 1, ANY_BYTES, 0, column)])
        return self.at([Condition(ANY_BYTES, 0, EMPTY, 1, column)])

    def word(self, node: Node) -> Value:
        _, negated, members, column = node
        store, anything = self.store, self.anything
        word, other = [self.encode.charset(store, chars) for chars in (members, negate(members))]
        word_before = store.concat([anything, word])
        no_word_before = store.union([EMPTY, store.concat([anything, other])])
        word_after = store.concat([word, ANY_BYTES])
        no_word_after = store.union([EMPTY, store.concat([other, ANY_BYTES])])
        if negated:
            word_after, no_word_after = no_word_after, word_after
        return self.at(
            [
                Condition(word_before, 1, no_word_after, 1, column),
                Condition(no_word_before, 1, word_after, 1, column),
            ]
        )

    def look(self, node: Node, value: int | Value) -> Value:
        _, ahead, negated, inner, column = node
        reach = _reach(inner)
        # (the language asked for on the side where the look-around does not look, its reach) -> the languages asked for
        # on the side where the look-around looks
        asked: dict[tuple[int, int | None], list[int]] = {}
        # Any bytes may follow the match, also bytes that are no text. So derivatives show a broken condition at once,
        # without an emptiness search. Only texts may stand before the match, because it must not begin inside a
        # character.
        around = [value, ANY_BYTES] if ahead else [self.anything, value]
        for chain in _chains(self.concat(around)):
            for other, other_reach, texts in self.chains.as_look(chain, ahead, column):
                asked.setdefault((other, other_reach), []).append(texts)
        pairs = [(other, self.store.union(texts)) for other, texts in asked.items()]

        def condition(texts: int, texts_reach: int | None, other: int, other_reach: int | None) -> Condition:
            sides = (other, other_reach, texts, texts_reach) if ahead else (texts, texts_reach, other, other_reach)
            return Condition(*sides, column)

        if not negated:
            return self.at([condition(texts, reach, *other) for other, texts in pairs])
        complement = self.store.complement
        found = [FREE]
        for (other, other_reach), texts in pairs:
            broken = [condition(complement(texts), reach, ANY_BYTES, 0)]
            if other != ANY_BYTES:
                broken.append(condition(ANY_BYTES, 0, complement(other), other_reach))
            found = [self.chains.both(one, two) for one in found for two in broken]
            self.chains.limited([(one,) for one in found])
        return self.at(found)

    def at(self, conditions: list[Condition]) -> Value:
        """The empty text, where one of the conditions holds."""
        return tuple([(EMPTY, one, EMPTY) for one in conditions])

    # Trees

    def whole(self, value: int | Value) -> int:
        if isinstance(value, int):
            return value
        return self.chains.refuse(None, "stands inside `and` or `not`")

    def concat(self, values: list[int | Value]) -> int | Value:
        if all(isinstance(value, int) for value in values):
            return self.store.concat([value for value in values if isinstance(value, int)])
        made: Value = ((EMPTY,),)
        for value in values:
            made = self.chains.limited(
                [
                    joined
                    for left in made
                    for right in _chains(value)
                    if (joined := self.chains.join(left, right)) is not None
                ]
            )
        return made

    def union(self, values: list[int | Value]) -> int | Value:
        plain = self.store.union([value for value in values if isinstance(value, int)])
        others = [chain for value in values if not isinstance(value, int) for chain in value]
        if not others:
            return plain
        return self.chains.limited([(plain,), *others] if plain else others)

    def repeat(self, value: int | Value, lo: int, hi: int | None) -> int | Value:
        if isinstance(value, int):
            return self.store.repeat(value, lo, hi)
        if hi == 0:
            return EMPTY
        if any(_is_assertion(chain) for chain in value):
            return self.repeat_assertions(value, lo, hi)
        settled = [one for chain in value for one in self.chains.settle_inside(chain)]
        plain = self.store.union([chain[0] for chain in settled if len(chain) == 1 and isinstance(chain[0], int)])
        others = [chain for chain in settled if len(chain) > 1 or not isinstance(chain[0], int)]
        if not others:
            return self.store.repeat(plain, lo, hi)
        options = len(others) + bool(plain)
        if hi is not None and hi <= MAX_UNROLLED and options**hi * (hi - lo + 1) <= MAX_UNROLLED:
            body = self.union([plain, tuple(others)])
            return self.union([self.concat([body] * count) for count in range(lo, hi + 1)])
        return ((self.loop(plain, others, lo, hi),),)

    def repeat_assertions(self, value: Value, lo: int, hi: int | None) -> int | Value:
        """A repeat in which a round may consist of conditions only."""
        asserts = [chain for chain in value if _is_assertion(chain)]
        if lo > MAX_UNROLLED:
            self.chains.refuse(asserts[0][1].column, f"is repeated at least {lo} times")
        # Beyond `lo` rounds, a round of conditions only is not needed: it matches no characters, and can only fail.
        rest = [chain for chain in value if chain not in asserts]
        optional = self.repeat(tuple(rest), 0, None if hi is None else hi - lo) if rest else EMPTY
        return self.concat([*[value] * lo, optional])

    def loop(self, plain: int, others: list[Chain], lo: int, hi: int | None) -> Loop:
        """A loop. Each of its rounds is the expression `plain` or one of the chains `others`.

        It is refused if conditions look both ways, or if a chain has a loop.
        """
        column = next((part.column for chain in others for part in chain[1::2] if part.column is not None), None)
        if any(isinstance(part, Loop) for chain in others for part in chain):
            self.chains.refuse(column, "is repeated inside a part that is repeated")
        conditions = [part for chain in others for part in chain[1::2]]
        sees_before = any(one.before != ANY_BYTES for one in conditions)
        sees_after = any(one.after != ANY_BYTES for one in conditions)
        if sees_before and sees_after:
            self.chains.refuse(column, "looks both ways in a part that is repeated")
        body: list[Chain] = [(plain,)] if plain else []
        return Loop((*body, *others), lo, hi, sees_before, sees_after, column)


def _is_assertion(chain: Chain) -> bool:
    """Whether a chain matches no characters: it consists of conditions."""
    return all(part == EMPTY for part in chain[::2])


def _trimmed(node: Node) -> Node:
    """A simpler tree with matches in the same texts as this one. Repeats at its ends are cut down to the rounds that
    must be there.

    A loop with conditions can seldom be expressed next to arbitrary text. In a search, arbitrary text may stand on
    both sides of a match, so optional rounds at its ends are not needed. Without them such a loop often disappears.
    """
    for last in (True, False):
        kind = node[0]
        if kind == "rep" and node[2] != node[3]:
            node = ("rep", node[1], node[2], node[2])
        elif kind == "alt":
            node = ("alt", [_trimmed(branch) if branch[0] in ("cat", "rep") else branch for branch in node[1]])
        elif kind == "cat":
            parts = list(node[1])
            while parts:
                at = -1 if last else 0
                end = parts[at]
                if end[0] == "rep" and end[2] == 0:
                    parts.pop(at)
                    continue
                if end[0] == "rep":
                    parts[at] = ("rep", end[1], end[2], end[2])
                break
            node = ("cat", parts)
    return node


def _chains(value: int | Value) -> Value:
    return ((value,),) if isinstance(value, int) else value


def _reach(root: Node) -> int | None:
    """How many characters beside its place a look-around may see, at most; None: there is no bound."""
    order: list[Node] = []
    stack = [root]
    while stack:
        node = stack.pop()
        order.append(node)
        kind = node[0]
        if kind in ("cat", "alt"):
            stack.extend(node[1])
        elif kind == "rep":
            stack.append(node[1])
        elif kind == "look":
            stack.append(node[3])
    values: list[int | None] = []
    for node in reversed(order):
        kind = node[0]
        if kind in ("cat", "alt"):
            parts = values[len(values) - len(node[1]) :]
            del values[len(values) - len(node[1]) :]
            known = [part for part in parts if part is not None]
            values.append(None if len(known) < len(parts) else sum(known) if kind == "cat" else max(known, default=0))
        elif kind == "rep":
            inner, most = values[-1], node[3]
            values[-1] = 0 if 0 in (inner, most) else None if inner is None or most is None else inner * most
        elif kind == "text":
            values.append(len(node[1]))
        elif kind == "look":
            inner = values[-1]
            values[-1] = None if inner is None else max(inner, 1)
        else:
            # A character; or an anchor or a word boundary, which see one character.
            values.append(0 if kind == "empty" else 1)
    return values[0]
