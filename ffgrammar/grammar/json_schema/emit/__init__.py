"""From shapes to the symbols of a grammar.

In reading order:

- common_expressions: the expressions that nearly every schema needs, made once in a process.
- layout: commas, colons and line breaks, with their whitespace.
- symbols: the symbols that arrays and objects are written with, and the rules that are made of them.
- array_style: the brackets and commas of arrays.
- contains_ways: which of the next four files writes an array with `contains`.
- contains, many_contains, contains_kinds, contains_guarded: few `contains`; many of them; many with upper bounds, where
  items are of few kinds, and where a scalar may obey several.
- contains_counts: how the last two count.
- arrays: all other arrays.
- only_types: a conjunction restricted to some types.
- unique: arrays with `uniqueItems`.
- members: the properties that an object may have, as input of ordered and unordered.
- ordered, unordered: the order in which the properties of an object may come.
- key_patterns: patterns that tell apart the keys beside the named ones.
- matched_keys: these keys where many sets of patterns may match one.
- other_keys: the keys beside the named ones.
- scalar_texts: scalars as one expression.
- implied, value_kinds, value_lexemes, clause_members, dead_ends, clauses: objects with many small choices about their
  keys.
- objects: objects.
- any_value: all JSON values.
- links, nesting, plain_levels, chains: several recursive subschemas that apply to one value and come back to their
  beginnings after different numbers of levels.
- emitter: the symbol of a conjunction.
- emptiness: where a schema that no value obeys goes wrong.
"""
