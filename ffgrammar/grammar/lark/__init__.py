"""The front-end for grammars in the notation of Lark, the Python parser. In reading order:

- source: definitions, as they are read and before anything is compiled; places in the text.
- common: Lark's library of common terminals.
- reader: from the text to definitions.
- pattern: Lark's regular expressions, which are Python's, in the syntax that ffgrammar reads.
- terminals: from the definition of a terminal to an expression.
- lowering: `build`, from definitions to a grammar.

Lark's lexer takes one terminal at each place, by priorities and lengths; here the parser gets all that match the
longest text. Rules and terminals keep their meaning, priorities have none.
"""

from __future__ import annotations

from ffgrammar.grammar.lark.lowering import build

__all__ = ["build"]
