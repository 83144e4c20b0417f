"""Random derivations of a grammar: its lexemes, one after another.

A production is chosen by chance until the text is long enough, and from then on so that the fewest lexemes follow. So a
derivation always ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from ffgrammar.grammar.derives import usable_terminals
from ffgrammar.grammar.ir import GrammarIR, Template

__all__ = ["Derivation"]

NEVER = 1 << 40
# The distance of a parametric nonterminal that never ends.
FAR = 1 << 20
# A nonterminal that is nested this deep heads for its end. Where it is nested less deep, it does so by chance.
MAX_DEPTH = 60

# A nonterminal with its parameter (ir.Template): its number, bits, and two counters. Plain ones have zeros.
Instance = tuple[int, int, tuple[int, int]]


class Derivation:
    """Makes derivations.

    Args:
        grammar: the grammar.
        random: where chance comes from.
    """

    def __init__(self, grammar: GrammarIR, random: Random) -> None:
        self._random = random
        self._start = grammar.start
        self._bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, rhs in grammar.productions:
            self._bodies.setdefault(head, []).append(rhs)
        self._templates: dict[int, list[Template]] = {}
        for one in grammar.templates:
            self._templates.setdefault(one.head, []).append(one)
        usable = usable_terminals(grammar)
        # (a special token is no text)
        self._lexeme_costs = [
            NEVER if lexeme.tokens or not ok else int(not grammar.store.is_nullable(lexeme.expr))
            for lexeme, ok in zip(grammar.lexemes, usable, strict=True)
        ]
        self._costs = [NEVER] * len(grammar.names)
        self._find_costs()
        # By parametric nonterminal: how many productions lead to one that can end.
        self._distances: dict[int, int] = {}
        self._find_distances()

    def is_possible(self) -> bool:
        """Whether some sentence has no special tokens."""
        return self._cost(self._start) < NEVER

    def lexemes(self, is_long: Callable[[int], bool]) -> Iterator[int]:
        """The numbers of the lexemes of a derivation.

        Args:
            is_long: from how many lexemes must still follow, to whether the text is long enough.
        """
        stack: list[tuple[int, Instance, int]] = [(self._start, (self._start >> 1, 0, (0, 0)), 0)]
        owed = self._cost(self._start)
        while stack:
            symbol, instance, depth = stack.pop()
            owed -= self._cost(symbol)
            if not symbol & 1:
                # (a lexeme that may be empty is left out now and then)
                if self._lexeme_costs[symbol >> 1] or (not is_long(owed) and self._random.random() < 0.7):
                    yield symbol >> 1
                continue
            body = self._choose(instance, is_long(owed) or self._random.random() * MAX_DEPTH < depth)
            for one in reversed(body):
                stack.append((one[0], one[1], depth + 1))
                owed += self._cost(one[0])

    def _choose(self, instance: Instance, shortest: bool) -> list[tuple[int, Instance]]:
        """The right-hand side of a production, as symbols with their instances."""
        head = instance[0]
        if head in self._templates:
            return self._choose_template(instance, shortest)
        bodies = [(body, cost) for body in self._bodies[head] if (cost := self._body_cost(body)) < NEVER]
        if shortest:
            least = min(cost for _, cost in bodies)
            body = self._random.choice([body for body, cost in bodies if cost == least])
        else:
            weights = [_weight(head, body, any(not other for other, _ in bodies)) for body, _ in bodies]
            body = self._random.choices(bodies, weights)[0][0]
        return [_plain(symbol) for symbol in body]

    def _choose_template(self, instance: Instance, shortest: bool) -> list[tuple[int, Instance]]:
        head = instance[0]
        fitting = [
            one for one in self._templates[head] if one.holds(*instance[1:]) and self._body_cost(one.rhs) < NEVER
        ]
        if not fitting:
            return []
        if shortest:
            one = min(fitting, key=lambda one: self._template_cost(instance, one))
        else:
            one = self._random.choice(fitting)
        found = [_plain(symbol) for symbol in one.rhs]
        if one.again is not None:
            first, second = instance[2]
            after = (one.again, one.bits_after(instance[1]), (first + one.add[0], second + one.add[1]))
            found.append((2 * one.again + 1, after))
        return found

    def _template_cost(self, instance: Instance, one: Template) -> int:
        """How far from its end a parametric nonterminal is by a template. What ends it is best, then what leads to a
        nonterminal that can end, and then what leaves fewer bits missing or unsettled for some end. (Where all leave
        the same, a bit is set, so that this ends.)"""
        if one.again is None:
            return self._body_cost(one.rhs)
        distance = self._distances.get(one.again, FAR)
        bits = one.bits_after(instance[1])
        ends = [end for end in self._templates.get(one.again, ()) if end.again is None]
        missing = min([(end.need & ~bits).bit_count() + end.unsettled(bits).bit_count() for end in ends], default=0)
        bits_left = 1000 + self._body_cost(one.rhs) + 1000 * missing + (0 if one.bit is not None else 500)
        return NEVER * distance + bits_left

    def _find_distances(self) -> None:
        before: dict[int, list[int]] = {}
        edge: list[int] = []
        for head, templates in self._templates.items():
            for one in templates:
                if self._body_cost(one.rhs) < NEVER:
                    (edge if one.again is None else before.setdefault(one.again, [])).append(head)
        distance = 0
        while edge:
            edge = [head for head in dict.fromkeys(edge) if head not in self._distances]
            self._distances.update(dict.fromkeys(edge, distance))
            edge = [head for ended in edge for head in before.get(ended, ())]
            distance += 1

    def _cost(self, symbol: int) -> int:
        """How many lexemes a symbol derives at least; of parametric ones an estimate."""
        return self._costs[symbol >> 1] if symbol & 1 else self._lexeme_costs[symbol >> 1]

    def _body_cost(self, body: tuple[int, ...]) -> int:
        return min(sum(map(self._cost, body)), NEVER)

    def _find_costs(self) -> None:
        productions = [(head, body) for head, bodies in self._bodies.items() for body in bodies]
        for head, templates in self._templates.items():
            for one in templates:
                again = () if one.again is None else (2 * one.again + 1,)
                productions.append((head, (*one.rhs, *again)))
        uses: dict[int, list[int]] = {}
        for number, (_, body) in enumerate(productions):
            for symbol in dict.fromkeys(body):
                if symbol & 1:
                    uses.setdefault(symbol >> 1, []).append(number)
        waiting = list(range(len(productions)))
        while waiting:
            following: dict[int, None] = {}
            for number in waiting:
                head, body = productions[number]
                cost = self._body_cost(body)
                if cost < self._costs[head]:
                    self._costs[head] = cost
                    following.update(dict.fromkeys(uses.get(head, ())))
            waiting = list(following)


def _weight(head: int, body: tuple[int, ...], is_star: bool) -> float:
    """How likely a production is. Longer ones say more. Recursion goes on now and then; in a list that may be empty it
    makes the first item, too."""
    if not body:
        return 0.7
    if 2 * head + 1 in (body[0], body[-1]):
        return 1.6 if is_star else 0.8
    return 1 + min(len(body), 2)


def _plain(symbol: int) -> tuple[int, Instance]:
    return symbol, (symbol >> 1, 0, (0, 0))
