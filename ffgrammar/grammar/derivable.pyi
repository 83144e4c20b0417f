from collections.abc import Sequence

from ffgrammar.grammar.ir import Grammar

def productive(grammar: Grammar) -> list[bool]: ...
def derivable(
    productions: list[tuple[int, Sequence[int]]], nonterminals: int, from_terminals: bool
) -> list[bool]: ...
