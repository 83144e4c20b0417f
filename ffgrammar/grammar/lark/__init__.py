"""The front-end for grammars in the notation of Lark, the Python parser. In reading order:

- source: the definitions that a text consists of, before anything is compiled; places in the text.
- common: Lark's library of common terminals.
- reader: from the text to definitions.
- pattern: Lark's regular expressions, which are Python's, in the syntax that ffgrammar reads.
- substrings: quotations of a text.
- terminals: from the definition of a terminal to an expression.
- special: from the notation of special tokens to their ids.
- inline_json: schemas inside rules.
- indenter: which terminals stand for indentation.
- lowering: `build`, from definitions to a grammar.
- conflict_report: where longest match loses texts of the grammar.

At each place of a text, Lark's lexer takes one terminal, which it chooses by priorities and lengths. Here the parser
gets every terminal that matches the longest text. So priorities have no effect. Rules and terminals mean what they mean
in Lark.
"""

from __future__ import annotations

from ffgrammar.grammar.lark.lowering import build

__all__ = ["build"]
