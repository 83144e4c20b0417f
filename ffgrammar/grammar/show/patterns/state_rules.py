"""Regular expressions as rules: a rule for each state of an automaton over characters.

Notations without `&` and `~` say a lexeme that has them in this way. A rule has an alternative for each set of
characters that leads to another state, and the empty one if the lexeme may end there.
"""

from __future__ import annotations

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.show.patterns.characters import EMPTY_TEXT, Characters, alt, cat
from ffgrammar.regex.syntax.charset import Charset
from ffgrammar.regex.syntax.parser import Node

__all__ = ["StateRules"]

MAX_STATES = 2000
# How many derivatives may be taken, of a microsecond or more each.
MAX_WORK = 100_000


class StateRules:
    """Makes rules of expressions.

    Args:
        characters: over the store of the expressions.

    Attributes:
        bodies: by number of a rule, its body. A leaf ("state", number) stands for a rule.
    """

    def __init__(self, characters: Characters) -> None:
        self._characters = characters
        self._numbers: dict[int, int] = {}
        self._followers: dict[int, list[tuple[Charset, int]]] = {}
        self.bodies: list[Node] = []

    def rule(self, expr: int) -> int:
        """The number of the rule for an expression. Equal expressions share one.

        Raises:
            UnsupportedError: the rules would be too many, or the expression matches bytes that are not UTF-8.
            LimitError: a bound of the store was reached.
        """
        waiting = [expr]
        while waiting:
            one = waiting.pop()
            if one in self._numbers:
                continue
            if len(self.bodies) == MAX_STATES or self._characters.work > MAX_WORK:
                raise UnsupportedError("it is an intersection or a complement that needs too many states")
            self._numbers[one] = len(self.bodies)
            self.bodies.append(EMPTY_TEXT)
            followers = self._followers[one] = self._characters.followers(one)
            waiting += [target for _, target in followers]
        self._write()
        return self._numbers[expr]

    def _write(self) -> None:
        store = self._characters.store
        for expr, number in self._numbers.items():
            if self.bodies[number] is not EMPTY_TEXT:
                continue
            members: list[Node] = [EMPTY_TEXT] if store.is_nullable(expr) else []
            for characters, target in self._followers[expr]:
                members.append(cat([("set", characters), ("state", self._numbers[target])]))
            self.bodies[number] = alt(members)
