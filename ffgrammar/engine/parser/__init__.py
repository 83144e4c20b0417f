"""The parser: Earley's algorithm over lexemes, with rows that are interned.

In reading order:

- `tables`: the productions of a grammar as flat arrays.
- `live_productions`: which productions these tables have.
- `lowering`: from a grammar to these tables.
- `links`: what waits for a nonterminal, by which rows are told apart.
- `instances`: productions of parametric nonterminals, made when a text first needs them.
- `joined`: what one text does to a parameter in several ways at once.
- `carried`: items whose lexemes go on where others end.
- `rows`: rows and what they hold.
- `rests`: what comes behind a dot.
- `inclusion`: items that add nothing to a row.
- `prediction`: the items of a new row that follow from its kernel.
- `earley`: the step from one row to the next.
"""
