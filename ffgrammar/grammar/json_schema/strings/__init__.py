"""Strings and keys as expressions.

In reading order:

- strings: JSON strings by length, pattern, format, or as a list; keys.
- quoted: strings that are spelled as they are.
- lengths: length limits built into an expression.
- plain_patterns: patterns that only list texts.
- finite_keys: the keys that match an expression, if they are few.
- formats: the formats of JSON Schema, as patterns.
- idn, idn_table: host names, also internationalized ones.
- regex_format: the format `regex`.
"""
