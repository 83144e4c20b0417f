"""From shapes to the symbols of a grammar.

In reading order:

- common_expressions: the expressions that nearly every schema needs, made once in a process.
- layout: commas, colons and line breaks, with their whitespace.
- symbols: the symbols that arrays and objects are written with, and the rules that are made of them.
- array_style: the brackets and commas of arrays.
- only_types: conjunctions that are restricted to some types.
- contains, many_contains, contains_apart, contains_guarded, contains_ways: arrays with few `contains`, with many, with
  many that have upper bounds, of which an item obeys one or several; and which of these ways is taken.
- arrays, unique: all other arrays, and arrays with `uniqueItems`.
- members: the properties that an object may have, as input of ordered and unordered.
- ordered, unordered: the order in which the properties of an object may come.
- other_keys: the keys beside the named ones.
- implied, value_kinds, clause_members, dead_ends, clauses: objects with many small choices about their keys.
- objects: objects.
- links, nesting, plain_levels, chains: several recursive subschemas that apply to one value and come back to their
  beginnings after different numbers of levels.
- emitter: the symbol of a conjunction.
- emptiness: where a schema that no value obeys goes wrong.
"""
