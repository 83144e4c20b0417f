"""Which parts of a grammar derive a text at all.

Front-ends use this to refuse a source that no text matches. The engine uses it to leave out the parts of a grammar that
lead nowhere: a mask must not offer a token after which no sentence can be completed.
"""

from __future__ import annotations

from ffgrammar.grammar.derives import derives, usable_terminals
from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.productions import Productions

__all__ = ["productive"]


def productive(grammar: GrammarIR, usable: bytearray | None = None) -> bytearray:
    """Which nonterminals derive some text: a one or a zero for each. The time is linear in the size of the productions.

    Args:
        grammar: the grammar.
        usable: the `usable_terminals` of the grammar, if the caller has them.

    Raises:
        LimitError: it could not be decided whether a lexeme matches anything.
    """
    productions, nonterminals = _productions(grammar)
    return derives(productions, nonterminals, usable_terminals(grammar) if usable is None else usable)


def _productions(grammar: GrammarIR) -> tuple[Productions, int]:
    """All productions, those of templates included, and the number of nonterminals in them.

    A template (see ir.Template) may need bits: it can be used only after other templates have set these bits. So each
    bit that some template sets gets a nonterminal of its own. It derives what the right-hand sides of the templates
    that set the bit derive. A template becomes a production whose right-hand side also has the nonterminals of the bits
    that the template needs. A template that needs a bit that no template sets is left out.
    """
    if not grammar.templates:
        return grammar.productions, len(grammar.names)
    productions = Productions(grammar.productions)
    needed: dict[int, int] = {}
    for one in grammar.templates:
        needed[one.head] = needed.get(one.head, 0) | one.need
    setters: dict[tuple[int, int], int] = {}
    for one in grammar.templates:
        if one.again is not None:
            some = one.sets & needed.get(one.again, 0) | (0 if one.bit is None else 1 << one.bit)
            for bit in _bits(some):
                setter = setters.setdefault((one.again, bit), len(grammar.names) + len(setters))
                productions.append(setter, one.rhs)
    for one in grammar.templates:
        bits = _bits(one.need)
        if all((one.head, bit) in setters for bit in bits):
            again = () if one.again is None else (2 * one.again + 1,)
            set_before = [2 * setters[one.head, bit] + 1 for bit in bits]
            productions.append(one.head, (*one.rhs, *again, *set_before))
    return productions, len(grammar.names) + len(setters)


def _bits(some: int) -> list[int]:
    found = []
    while some:
        lowest = some & -some
        found.append(lowest.bit_length() - 1)
        some ^= lowest
    return found
