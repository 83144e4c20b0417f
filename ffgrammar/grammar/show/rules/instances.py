"""The instances of parametric nonterminals as plain nonterminals, where there are few enough of them.

An object whose keys come in any order has a production for each key that has not come yet (ir.Template). Notations
without parameters need a rule for each set of keys that may have come. These are made here, as far as they can be
reached from the start.
"""

from __future__ import annotations

from dataclasses import replace

from ffgrammar.core.errors import UnsupportedError
from ffgrammar.grammar.ir import GrammarIR, Template
from ffgrammar.grammar.productions import Productions

__all__ = ["MAX_INSTANCES", "without_parameters"]

MAX_INSTANCES = 5000

# A nonterminal with its parameter: its number, the set of bits, and two counters.
Instance = tuple[int, int, tuple[int, int]]


def without_parameters(grammar: GrammarIR, notation: str) -> GrammarIR:
    """A grammar for the same language that has no templates.

    Args:
        grammar: the grammar.
        notation: the name of the notation that asks, for messages.

    Raises:
        UnsupportedError: the grammar has too many instances, or joined families.
    """
    if not grammar.templates:
        return grammar
    joined = [grammar.names[one.number] for one in grammar.parametric if one.joined]
    if joined:
        raise UnsupportedError(
            f"{notation} cannot say that several rules hold for one text, as for `{joined[0]}` in this grammar "
            "(JSON Schema: an array that must contain items of many kinds)"
        )
    made = _Instances(grammar, notation)
    productions = Productions()
    for head, rhs in grammar.productions:
        productions.append(head, [made.symbol(one) for one in rhs])
    start = made.symbol(grammar.start)
    made.expand(productions)
    return replace(grammar, productions=productions, names=tuple(made.names), start=start, parametric=(), templates=())


class _Instances:
    def __init__(self, grammar: GrammarIR, notation: str) -> None:
        self.notation = notation
        self.names = list(grammar.names)
        self._parametric = {one.number for one in grammar.parametric}
        self._templates: dict[int, list[Template]] = {}
        caps = [0, 0]
        for one in grammar.templates:
            self._templates.setdefault(one.head, []).append(one)
            for i in range(2):
                bounds = [bound for bound in one.counts[i] if bound is not None]
                caps[i] = max([caps[i], *(bound + 1 for bound in bounds)])
        # A counter stops one above the highest bound, because no condition changes from there on.
        self._caps = caps
        self._numbers: dict[Instance, int] = {}
        self._waiting: list[Instance] = []

    def symbol(self, symbol: int) -> int:
        """What stands for a symbol of the grammar; in place of a parametric one its instance of parameter zero."""
        if symbol & 1 and symbol >> 1 in self._parametric:
            return self._instance((symbol >> 1, 0, (0, 0)))
        return symbol

    def _instance(self, instance: Instance) -> int:
        number = self._numbers.get(instance)
        if number is None:
            if len(self._numbers) == MAX_INSTANCES:
                raise UnsupportedError(
                    f"{self.notation} has no parameters: the keys or items that may come in any order, or a bounded "
                    f"number of times, would need more than {MAX_INSTANCES} rules"
                )
            number = self._numbers[instance] = len(self.names)
            self.names.append(self.names[instance[0]])
            self._waiting.append(instance)
        return 2 * number + 1

    def expand(self, productions: Productions) -> None:
        """Add the productions of all instances that can be reached."""
        while self._waiting:
            instance = self._waiting.pop()
            for template in self._templates.get(instance[0], ()):
                if not template.holds(*instance[1:]):
                    continue
                rhs = [self.symbol(one) for one in template.rhs]
                if template.again is not None:
                    rhs.append(self._instance(self._after(instance, template)))
                productions.append(self._numbers[instance], rhs)

    def _after(self, instance: Instance, template: Template) -> Instance:
        _, bits, counters = instance
        first, second = (min(counters[i] + template.add[i], self._caps[i]) for i in range(2))
        assert template.again is not None
        return template.again, template.bits_after(bits), (first, second)
