"""Compiled grammars in other notations: Lark's, GBNF, a listing, a graph, and railroad diagrams.

The files, in reading order:

- characters: from expressions over bytes to trees over characters.
- cuts: which parts of trees get names of their own.
- regex_text: trees as regular expressions.
- written: trees as text with alternatives, sequences and repeats.
- terminals: lexemes as regular expressions with `&` and `~`.
- lexemes: what no notation can say; the trees of lexemes.
- rules: rules with optional parts and repeats in place of helping nonterminals.
- instances: parametric nonterminals as plain ones.
- state_rules: lexemes as rules, for notations without `&` and `~`.
- names, labels: names that a notation accepts; what pictures call rules and lexemes.
- lark_text, gbnf_text, ir_text, dot_text: one notation each.
- railroad, svg_text: the pieces of a railroad diagram, and the document.
- kinds, emit: the names of the notations; a grammar in a notation by its name.

A text in Lark's notation or in GBNF means the same language as the grammar, or is refused. The others are for readers:
they always exist, leave out what no picture needs, and are bounded.
"""
