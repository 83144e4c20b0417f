"""From shapes to the symbols of a grammar.

In reading order:

- common_expressions: the expressions that nearly every schema needs, made once in a process.
- layout: brackets, commas and colons, with their whitespace.
- symbols: what arrays and objects are written with; rules.
- array_style: the brackets and commas of arrays.
- contains, arrays, unique: `contains`; arrays; `uniqueItems`.
- members: what an object may have.
- ordered, unordered: the order in which the members of an object may come.
- other_keys: the keys beside the named ones.
- objects: objects.
- emitter: the symbol of a conjunction.
"""
