"""Compiled grammars in other notations: Lark's, GBNF, a listing, a graph, and railroad diagrams.

The files, in reading order:

- patterns/: lexemes as regular expressions, and what they are made of.
- rules/: rules with names, optional parts and repeats.
- notations/: one notation each.
- kinds, emit: the names of the notations; a grammar in a notation by its name.

A text in Lark's notation or in GBNF means the same language as the grammar, or is refused. The others are for readers:
they always exist, leave out what no picture needs, and are bounded.
"""
