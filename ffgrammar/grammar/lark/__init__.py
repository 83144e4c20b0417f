"""The front-end for grammars in the notation of Lark, the Python parser. In reading order:

- texts: the text and those that it imports; places in them, for messages.
- source: the definitions that a text consists of, before anything is compiled.
- tokens: from the text to tokens, and a cursor over them.
- literals: strings, ranges and regular expressions.
- parameters: parameters of rules, and conditions on them.
- body: from tokens to the bodies of definitions.
- attributes, options: what stands in brackets after a name, and after %llguidance.
- reader: the statements of a text.
- files: where imported files are.
- imports: what %import brings, and grammars inside grammars.
- changes: %override and %extend.
- common: Lark's library of common terminals. data/: its other libraries.
- pattern: Lark's regular expressions, which are Python's, in the syntax that ffgrammar reads.
- substrings: quotations of a text.
- terminals: from the definition of a terminal to an expression.
- special: from the notation of special tokens to their ids.
- inline_json: schemas inside rules.
- indenter: which terminals stand for indentation.
- indentation: grammars in which the indentation of lines opens and closes blocks.
- skips: what %ignore skips.
- lexemes: the lexemes of rules.
- lengths: the length of a suffix.
- families: parametric rules that the engine expands.
- rules: the right-hand sides of rules; templates, and rules with parameters.
- lowering: `build`, from definitions to a grammar.
- strings: the strings of a text, for warnings.
- conflict_report: where longest match loses texts of the grammar.

At each place of a text, Lark's lexer takes one terminal, which it chooses by priorities and lengths. Here the parser
gets every terminal that matches the longest text. So priorities have no effect. Rules and terminals mean what they mean
in Lark.
"""

from __future__ import annotations

from ffgrammar.grammar.lark.files import Files
from ffgrammar.grammar.lark.lowering import build

__all__ = ["Files", "build"]
