"""A shortest sentence in which one lexeme directly follows another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ffgrammar.grammar.lexing.follow import Follow
from ffgrammar.grammar.lexing.work import TooMuchWorkError, Work

__all__ = ["Joint", "Shortest"]

# What a symbol derives, given two lexemes: any text; a text that ends with the first lexeme; a text that begins with
# the second one; a text in which the second one directly follows the first.
PLAIN, LEFT, RIGHT, BOTH = range(4)

# A symbol, and which of its texts are meant.
Kind = tuple[int, int]

# A lexeme costs more than the productions around it mostly do. A production costs something, so that no text is derived
# from itself.
LEXEME_COST = 1 << 10
PRODUCTION_COST = 1
# What costs more is not spelled. A grammar of n rules may have a shortest sentence of 2^n lexemes.
MAX_COST = 2000 * LEXEME_COST


class Joint(NamedTuple):
    """A sentence in which one lexeme directly follows another.

    Attributes:
        lexemes: the numbers of the lexemes of the sentence.
        place: where the first of the two is in this list.
        rule: the innermost rule that has both.
    """

    lexemes: list[int]
    place: int
    rule: int


class Shortest:
    """Shortest sentences of a grammar: those with the fewest lexemes, and then with the fewest productions.

    The costs are those of Knuth, "A generalization of Dijkstra's algorithm" (1977), found by passes over all
    productions.

    Args:
        follow: has the productions that count.
        start: the number of the start symbol.
        rules: how many nonterminals, from the first one on, are rules of the source.
        work: what the search may cost. All methods raise a TooMuchWorkError when it is spent.
    """

    def __init__(self, follow: Follow, start: int, rules: int, work: Work) -> None:
        self._work = work
        self._follow = follow
        self._start = start
        self._rules = rules
        self._plain: dict[Kind, tuple[int, Sequence[Kind]]] = {}
        self._find(self._plain, [((2 * head + 1, PLAIN), _plain(body)) for head, body in reversed(follow.bodies)])

    def joint(self, first: int, second: int) -> Joint:
        """A shortest sentence in which the lexeme `second` directly follows `first`. There must be one.

        Raises:
            TooMuchWorkError: the sentence is too long.
        """
        best = dict(self._plain)
        for kind, lexeme in ((LEFT, first), (RIGHT, second)):
            best[2 * lexeme, kind] = (LEXEME_COST, ())
        bodies = reversed(self._follow.bodies)
        self._find(best, [production for head, body in bodies for production in self._marked(head, body)])
        return self._spelled(best)

    def _marked(self, head: int, body: Sequence[int]) -> Iterator[tuple[Kind, Sequence[Kind]]]:
        """The ways in which a production derives a text of each kind but the plain one."""
        symbol = 2 * head + 1
        before = True  # whether all that stands before derives the empty text
        self._work.take(1)
        for i, one in enumerate(body):
            self._work.take(len(body))
            yield (symbol, BOTH), (*_plain(body[:i]), (one, BOTH), *_plain(body[i + 1 :]))
            if before:
                yield (symbol, RIGHT), ((one, RIGHT), *_plain(body[i + 1 :]))
                before = self._follow.may_be_empty(one)
            for j in range(i + 1, len(body)):
                self._work.take(len(body))
                yield (symbol, BOTH), (*_plain(body[:i]), (one, LEFT), (body[j], RIGHT), *_plain(body[j + 1 :]))
                if not self._follow.may_be_empty(body[j]):
                    break
            else:
                yield (symbol, LEFT), (*_plain(body[:i]), (one, LEFT))

    def _find(
        self, best: dict[Kind, tuple[int, Sequence[Kind]]], productions: list[tuple[Kind, Sequence[Kind]]]
    ) -> None:
        """Find the least costs, and the right-hand sides that have them."""
        empty = self._follow.empty_lexemes
        changed = True
        while changed:
            changed = False
            for head, body in productions:
                self._work.take(1 + len(body))
                cost = PRODUCTION_COST
                for one in body:
                    if one in best:
                        cost += best[one][0]
                    elif one[0] & 1 or one[1] != PLAIN:
                        break
                    elif not empty[one[0] >> 1]:
                        cost += LEXEME_COST
                else:
                    if head not in best or cost < best[head][0]:
                        best[head] = (cost, body)
                        changed = True

    def _spelled(self, best: dict[Kind, tuple[int, Sequence[Kind]]]) -> Joint:
        lexemes: list[int] = []
        place = rule = 0
        whole = (2 * self._start + 1, BOTH)
        if best[whole][0] > MAX_COST:
            raise TooMuchWorkError
        waiting = [whole]
        while waiting:
            self._work.take(1)
            symbol, kind = waiting.pop()
            number = symbol >> 1
            if symbol & 1:
                if kind == BOTH and number < self._rules:
                    rule = number
                waiting.extend(reversed(best[symbol, kind][1]))
            elif kind != PLAIN or not self._follow.empty_lexemes[number]:
                if kind == LEFT:
                    place = len(lexemes)
                lexemes.append(number)
        return Joint(lexemes, place, rule)


def _plain(body: Sequence[int]) -> list[Kind]:
    return [(symbol, PLAIN) for symbol in body]
