"""From schemas to shapes: what keywords say, their opposites, and alternatives multiplied out.

In reading order:

- literals: checked numbers, counts and names; the values of `enum` and `const`.
- keyword_values: the values of keywords, checked and parsed.
- negation: the opposite of a schema, as alternatives.
- parts: what an item, or the value of a property, must obey.
- one_key: branches that are about the value of one key.
- kinds: branches of `oneOf` that one key tells apart.
- one_of: the branches of `oneOf`, told apart where they overlap.
- conditions: many choices on one key, as one choice.
- string_choices: many choices about strings, each as one expression.
- clauses: many small choices about the keys of objects, which are not multiplied out.
- context: what the functions that apply keywords work with.
- unevaluated: how `unevaluatedProperties` and `unevaluatedItems` become ordinary keywords.
- scalar_keywords, array_keywords, object_keywords, applicators, internal: for each keyword, the function that applies
  it and the function that negates it.
- reader: walks a schema and applies its keywords.
- settle: drops the types of a finished shape that have no value.
- contradictions: what surely has no value.
- combine: conjunctions as lists of shapes.
- normalizer: the objects that turn subschemas into shapes in one build.
"""
