"""The normal form of schemas.

In reading order:

- types: the JSON types as bits.
- constraints: the parts of a shape that are more than a number.
- shape: a schema without alternatives, as constraints on each JSON type.
- scalars: scalars that can be compared.
- choices: alternatives of a shape that is being built, of which none has been chosen yet.
"""
