"""The front-ends for GBNF, the notation of llama.cpp, and for the EBNF of xgrammar. In reading order:

- source: the rules that a text consists of, before anything is compiled; places in the text.
- dialects: how the two notations differ.
- characters: the characters of strings and of classes.
- macros: what xgrammar writes like calls, such as `Token(5)`.
- reader: from the text to rules.
- order: which rules are recursive, and an order in which each comes after those that it uses.
- linear: recursion that is a repetition.
- tokens: from the notation of tokens to their ids; any token but some.
- dispatch: free text with tags in it, after which a rule follows.
- parts: what a part of a rule becomes: an expression as long as it can, else symbols.
- lowering: `build`, from rules to a grammar.
- strings: the strings of a text, for warnings.

Both notations have rules over characters, and no lexer: a text is a sentence if the rules derive it in any way. So
lexemes are only a means. What is not recursive becomes one lexeme, as long as possible, and each lexeme may end
wherever it matches (ffgrammar/grammar/lexing/anywhere.py).
"""

from __future__ import annotations

from ffgrammar.grammar.gbnf.lowering import build

__all__ = ["build"]
