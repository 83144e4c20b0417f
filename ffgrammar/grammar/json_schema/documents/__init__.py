"""Schemas as documents: JSON text, names, references and positions, but not what keywords mean.

In reading order:

- text: the JSON text of a schema as Python values.
- registry: schemas from outside: those the caller passes in, and the metaschemas of the drafts (data/).
- dialects: which words are keywords, by draft and by vocabulary.
- resources: schemas with a base URI of their own, and the anchors in them.
- scopes: what dynamic references lead to.
- conjunctions: sets of subschemas, all of which a value must obey.
- subschemas: subschemas by number, their positions, and where references lead.
- contents: what subschemas say, for comparing them.
"""
