"""`emit`: a grammar in one of the notations."""

from __future__ import annotations

from collections.abc import Callable

from ffgrammar.grammar.ir import GrammarIR
from ffgrammar.grammar.show.kinds import KINDS, Kind
from ffgrammar.grammar.show.notations.dot_text import dot_text
from ffgrammar.grammar.show.notations.gbnf_text import gbnf_text
from ffgrammar.grammar.show.notations.ir_text import ir_text
from ffgrammar.grammar.show.notations.lark_text import lark_text
from ffgrammar.grammar.show.notations.svg_text import svg_text

__all__ = ["emit"]

_WRITERS: dict[str, Callable[[GrammarIR], str]] = {
    "ir": ir_text,
    "lark": lark_text,
    "gbnf": gbnf_text,
    "dot": dot_text,
    "svg": svg_text,
}


def emit(grammar: GrammarIR, kind: Kind) -> str:
    """The text of a grammar in a notation.

    Args:
        grammar: the grammar. Expressions are made in its store, which should be a copy (lexemes.py).
        kind: the notation.

    Raises:
        ValueError: there is no such notation.
        UnsupportedError: the notation cannot say the grammar exactly.
        LimitError: a bound of the grammar was reached.
    """
    writer = _WRITERS.get(kind)
    if writer is None:
        raise ValueError(f"a grammar is emitted as {', '.join(KINDS[:-1])} or {KINDS[-1]}, not as {kind!r}")
    return writer(grammar)
