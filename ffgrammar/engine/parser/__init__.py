"""The parser: Earley's algorithm over lexemes, with rows that are interned.

In reading order:

- `tables`: the productions of a grammar as flat arrays.
- `lowering`: from a grammar to these tables.
- `links`: what waits for a nonterminal, by which rows are told apart.
- `instances`: productions of parametric nonterminals, made when a text first needs them.
- `carried`: items whose lexemes go on where others end.
- `earley`: rows, and the step from one to the next.
"""
