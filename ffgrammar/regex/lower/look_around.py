r"""Look-around and word boundaries, by intersection and complement.

A condition holds between two characters: the text before is in one language, the text after in another. `(?=x)` asks
for `x any*` after, `(?!x)` for its complement, `^` for nothing before; `\b` is two alternatives of which each asks for
something on both sides. A tree becomes alternatives of the form

    e0 c1 e1 c2 ... cn en

with expressions e and conditions c. Where no condition about what is before stands behind one about what is after, they
nest, and the alternative is one expression: `((e0 & before1) e1 & before2) e2 (after2 & e3 (after3 & e4))`. Where they
cross, as in `\bword\b`, a condition that sees only a few characters is first settled within the expression beside it.

Loops whose conditions see into the next round, as in `(-(?=[a-z])|[a-z])*`, are in look_around_loops.py.
"""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from ffgrammar.core.errors import LimitError, UnsupportedError
from ffgrammar.regex.expr.store import ANY_BYTES, EMPTY, NOTHING, ExprStore
from ffgrammar.regex.lower.look_around_loops import AMBIGUOUS, loop_after, loop_before
from ffgrammar.regex.lower.tree_walk import Walk, any_text
from ffgrammar.regex.lower.utf8 import Encoding
from ffgrammar.regex.syntax.charset import ANY, negate
from ffgrammar.regex.syntax.parser import Node

__all__ = ["search_with_looks"]

# A loop with conditions is written out when that makes at most so many alternatives.
MAX_UNROLLED = 16


class Condition(NamedTuple):
    """What must be true between two characters.

    Attributes:
        before, after: languages of all the text on each side; ANY_BYTES asks for nothing.
        before_reach, after_reach: how many characters beside it decide the condition; None: any number.
        column: for messages.
    """

    before: int
    before_reach: int | None
    after: int
    after_reach: int | None
    column: int | None


class Loop(NamedTuple):
    """A repeat whose body has conditions that could not be settled inside."""

    body: tuple[Chain, ...]
    lo: int
    hi: int | None
    sees_before: bool
    sees_after: bool
    column: int | None


# An expression or a loop; then a condition and another one, any number of times.
Chain = tuple[Any, ...]
# Alternatives
Value = tuple[Chain, ...]

FREE = Condition(ANY_BYTES, 0, ANY_BYTES, 0, None)


def search_with_looks(node: Node, store: ExprStore, encode: Encoding) -> int:
    """The expression of the texts that contain a match of a tree.

    Raises:
        UnsupportedError: a condition cannot be said exactly; with its column.
        LimitError: there are too many alternatives.
    """
    looking = Looking(store, encode)
    anything = looking.anything
    value = looking.concat([anything, looking.value(_trimmed(node)), anything])
    if isinstance(value, int):
        return value
    found = store.union([looking.whole_chain(chain) for chain in value])
    # complements are about all byte strings
    return store.intersect([anything, found])


class Looking(Walk[Value]):
    """The evaluation of a tree with look-around."""

    def __init__(self, store: ExprStore, encode: Encoding) -> None:
        super().__init__(store, encode)
        self.char = encode.charset(store, ANY)
        self.anything = any_text(store, encode)

    def refuse(self, column: int | None, why: str) -> NoReturn:
        raise UnsupportedError(f"in the pattern: this look-around {why}; rewrite the pattern without it", column=column)

    def checked(self, chains: list[Chain]) -> Value:
        """The alternatives, if they are not too many."""
        most = self.store.limits.alternatives
        if len(chains) > most:
            raise LimitError("alternatives", most, "a pattern with look-around has too many alternatives")
        return tuple(chains)

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
        # what the inside asks for on the other side of its own text: that language, its reach -> its texts
        asked: dict[tuple[int, int | None], list[int]] = {}
        # After a match anything may follow, also no text: what is broken is then seen at once, without a search.
        # Before it only texts, because a match begins with a character.
        around = [value, ANY_BYTES] if ahead else [self.anything, value]
        for chain in _chains(self.concat(around)):
            for other, other_reach, texts in self.settle(chain, ahead, column):
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
            found = [self.both(one, two) for one in found for two in broken]
            self.checked([(one,) for one in found])
        return self.at(found)

    def at(self, conditions: list[Condition]) -> Value:
        """The empty text, where one of the conditions holds."""
        return tuple([(EMPTY, one, EMPTY) for one in conditions])

    def both(self, one: Condition, two: Condition) -> Condition:
        """Two conditions at one place."""
        intersect = self.store.intersect
        return Condition(
            intersect([one.before, two.before]),
            _longer(one.before_reach, two.before_reach),
            intersect([one.after, two.after]),
            _longer(one.after_reach, two.after_reach),
            two.column if one.column is None else one.column,
        )

    # Trees

    def whole(self, value: int | Value) -> int:
        if isinstance(value, int):
            return value
        return self.refuse(None, "stands inside `and` or `not`")

    def concat(self, values: list[int | Value]) -> int | Value:
        if all(isinstance(value, int) for value in values):
            return self.store.concat([value for value in values if isinstance(value, int)])
        made: Value = ((EMPTY,),)
        for value in values:
            made = self.checked(
                [joined for left in made for right in _chains(value) if (joined := self.join(left, right)) is not None]
            )
        return made

    def join(self, left: Chain, right: Chain) -> Chain | None:
        """Two chains as one; None when nothing matches."""
        last, first = left[-1], right[0]
        if isinstance(last, int) and isinstance(first, int):
            middle: Chain = (self.store.concat([last, first]),)
        elif last == EMPTY or first == EMPTY:
            middle = (first if last == EMPTY else last,)
        else:
            middle = (last, FREE, first)
        return self.merged(left[:-1] + middle + right[1:])

    def merged(self, chain: Chain) -> Chain | None:
        """A chain in which no two conditions are at one place; None when nothing matches."""
        store = self.store
        made: list[Any] = []
        for index, part in enumerate(chain):
            if part == NOTHING:
                return None
            if isinstance(part, Condition):
                if part.before == NOTHING or part.after == NOTHING:
                    return None
                if len(made) > 1 and made[-1] == EMPTY:
                    made.pop()
                    part = self.both(made.pop(), part)
                    if part.before == NOTHING or part.after == NOTHING:
                        return None
                free = part.before == ANY_BYTES and part.after == ANY_BYTES
                if free and isinstance(made[-1], int) and isinstance(chain[index + 1], int):
                    part = None
            elif made and made[-1] is None:
                made.pop()
                part = store.concat([made.pop(), part])
                if part == NOTHING:
                    return None
            made.append(part)
        return tuple(made)

    def union(self, values: list[int | Value]) -> int | Value:
        plain = self.store.union([value for value in values if isinstance(value, int)])
        others = [chain for value in values if not isinstance(value, int) for chain in value]
        if not others:
            return plain
        return self.checked([(plain,), *others] if plain else others)

    def repeat(self, value: int | Value, lo: int, hi: int | None) -> int | Value:
        if isinstance(value, int):
            return self.store.repeat(value, lo, hi)
        if hi == 0:
            return EMPTY
        asserts = [chain for chain in value if all(part == EMPTY for part in chain[::2])]
        if asserts:
            # more than `lo` rounds need none that are conditions alone: these match nothing and may only fail
            rest = [chain for chain in value if chain not in asserts]
            optional = self.repeat(tuple(rest), 0, None if hi is None else hi - lo) if rest else EMPTY
            if lo > MAX_UNROLLED:
                self.refuse(asserts[0][1].column, f"is repeated at least {lo} times")
            return self.concat([*[value] * lo, optional])
        settled = [one for chain in value for one in self.settle_inside(chain)]
        plain = self.store.union([chain[0] for chain in settled if len(chain) == 1 and isinstance(chain[0], int)])
        others = [chain for chain in settled if len(chain) > 1 or not isinstance(chain[0], int)]
        if not others:
            return self.store.repeat(plain, lo, hi)
        options = len(others) + bool(plain)
        if hi is not None and hi <= MAX_UNROLLED and options**hi * (hi - lo + 1) <= MAX_UNROLLED:
            body = self.union([plain, tuple(others)])
            return self.union([self.concat([body] * count) for count in range(lo, hi + 1)])
        column = next((part.column for chain in others for part in chain[1::2] if part.column is not None), None)
        if any(isinstance(part, Loop) for chain in others for part in chain):
            self.refuse(column, "is repeated inside a part that is repeated")
        conditions = [part for chain in others for part in chain[1::2]]
        sees_before = any(one.before != ANY_BYTES for one in conditions)
        sees_after = any(one.after != ANY_BYTES for one in conditions)
        if sees_before and sees_after:
            self.refuse(column, "looks both ways in a part that is repeated")
        body_chains = ([(plain,)] if plain else []) + others
        return ((Loop(tuple(body_chains), lo, hi, sees_before, sees_after, column),),)

    # Settling a condition within the expression beside it

    def push(self, chain: Chain, at: int, ahead: bool) -> list[Chain] | None:
        """Alternatives in which one side of the condition at an index is settled by the expression on that side.

        None when that cannot be done: the condition sees farther than a text of the expression may be long.
        """
        store = self.store
        condition = chain[at]
        beside = at + 1 if ahead else at - 1
        expr = chain[beside]
        if ahead:
            language, reach = condition.after, condition.after_reach
            settled = condition._replace(after=ANY_BYTES, after_reach=0)
        else:
            language, reach = condition.before, condition.before_reach
            settled = condition._replace(before=ANY_BYTES, before_reach=0)
        if not isinstance(expr, int) or reach is None:
            return None
        if expr == EMPTY and reach:
            # at an end of the chain: it is not known yet what comes there
            return None
        if reach > 1 and not store.is_nothing(store.intersect([expr, store.repeat(self.char, 0, reach - 1)])):
            return None
        long = store.intersect([expr, language, store.repeat(self.char, reach, None)])
        made = [self.replaced(chain, {at: settled, beside: long})]
        if reach and store.is_nullable(expr):
            made.append(self.replaced(chain, {beside: EMPTY}))
        return [one for one in made if one is not None]

    def replaced(self, chain: Chain, parts: dict[int, Any]) -> Chain | None:
        return self.merged(tuple([parts.get(index, part) for index, part in enumerate(chain)]))

    def settle_inside(self, chain: Chain) -> list[Chain]:
        """The same language, with as many conditions as possible settled."""
        todo, done = [chain], []
        while todo:
            chain = todo.pop()
            for at in range(1, len(chain), 2):
                made = None
                if chain[at].after != ANY_BYTES:
                    made = self.push(chain, at, ahead=True)
                if made is None and chain[at].before != ANY_BYTES:
                    made = self.push(chain, at, ahead=False)
                if made is not None:
                    todo.extend(made)
                    break
            else:
                done.append(chain)
            self.checked(todo + done)
        return done

    def settle(self, chain: Chain, ahead: bool, column: int | None) -> list[tuple[int, int | None, int]]:
        """A chain that begins (ahead) or ends at the place of its look-around, and reaches the end of the text there.

        Returns alternatives: what is asked for on the other side of the place, its reach, and the texts on this side.
        """
        todo: list[Chain] = [chain]
        found: list[tuple[int, int | None, int]] = []
        while todo:
            chain = todo.pop()
            edge = 1 if ahead else len(chain) - 2
            has_edge = len(chain) > 1 and chain[edge - 1 if ahead else edge + 1] == EMPTY
            for at in range(1, len(chain), 2):
                language = chain[at].before if ahead else chain[at].after
                if language == ANY_BYTES or (has_edge and at == edge):
                    continue
                made = self.push(chain, at, ahead=not ahead)
                if made is None:
                    self.refuse(column, "holds another one that sees too far in the other direction")
                todo.extend(made)
                break
            else:
                if any(isinstance(part, Loop) and (part.sees_before if ahead else part.sees_after) for part in chain):
                    self.refuse(column, "holds another one that sees too far in the other direction")
                if not has_edge:
                    found.append((ANY_BYTES, 0, self.nested_after(chain) if ahead else self.nested_before(chain)))
                elif ahead:
                    condition = chain[1]
                    found.append((condition.before, condition.before_reach, self.nested_after(chain)))
                else:
                    condition = chain[-2]
                    found.append((condition.after, condition.after_reach, self.nested_before(chain)))
            self.checked(todo + found)
        return found

    # Chains -> expressions

    def nested_after(self, chain: Chain) -> int:
        """The texts of a chain that ends where the text does, by its conditions about what is after."""
        store = self.store
        rest = EMPTY
        for part in reversed(chain):
            if isinstance(part, Condition):
                rest = store.intersect([rest, part.after])
            elif isinstance(part, Loop):
                bodies = [(chain[::2], [one.after for one in chain[1::2]]) for chain in part.body]
                made = loop_after(store, bodies, part.lo, part.hi, rest)
                rest = self.refuse(part.column, AMBIGUOUS) if made is None else made
            else:
                rest = store.concat([part, rest])
        return rest

    def nested_before(self, chain: Chain) -> int:
        """The texts of a chain that begins where the text does, by its conditions about what is before."""
        store = self.store
        so_far = EMPTY
        for part in chain:
            if isinstance(part, Condition):
                so_far = store.intersect([so_far, part.before])
            elif isinstance(part, Loop):
                bodies = [(chain[::2], [one.before for one in chain[1::2]]) for chain in part.body]
                made = loop_before(store, bodies, part.lo, part.hi, so_far)
                so_far = self.refuse(part.column, AMBIGUOUS) if made is None else made
            else:
                so_far = store.concat([so_far, part])
        return so_far

    def whole_chain(self, chain: Chain) -> int:
        """The texts of a chain from the start of the text to its end."""
        todo, found = [chain], []
        while todo:
            chain = todo.pop()
            befores = [at for at, part in enumerate(chain) if _sees(part, ahead=False)]
            afters = [at for at, part in enumerate(chain) if _sees(part, ahead=True)]
            if not befores or not afters or befores[-1] <= afters[0]:
                cut = befores[-1] + 1 if befores else 0
                left, right = chain[:cut], chain[cut:]
                if cut and afters and afters[0] == befores[-1]:
                    # one condition that asks on both sides
                    right = chain[cut - 1 :]
                found.append(self.store.concat([self.nested_before(left), self.nested_after(right)]))
                continue
            made = self.push(chain, afters[0], ahead=True) if afters[0] % 2 else None
            if made is None and befores[-1] % 2:
                made = self.push(chain, befores[-1], ahead=False)
            if made is None:
                column = next(part.column for part in chain[afters[0] :] if not isinstance(part, int))
                self.refuse(column, "crosses another one that looks the other way")
            todo.extend(made)
            self.checked(todo)
        return self.store.union(found)


def _trimmed(node: Node) -> Node:
    """A tree that is found in the same texts, without the rounds of repeats at its ends that may be missing.

    Loops with conditions can seldom be said beside any text; these need not be.
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


def _sees(part: Any, ahead: bool) -> bool:
    if isinstance(part, Condition):
        return (part.after if ahead else part.before) != ANY_BYTES
    if isinstance(part, Loop):
        return part.sees_after if ahead else part.sees_before
    return False


def _longer(one: int | None, two: int | None) -> int | None:
    return None if one is None or two is None else max(one, two)


def _reach(root: Node) -> int | None:
    """How many characters beside its place decide a look-around; None: any number. Never too few."""
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
            # a character; an anchor and a word boundary see one more
            values.append(0 if kind == "empty" else 1)
    return values[0]
