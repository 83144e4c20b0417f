"""Values: what the checks of a grammar need to know of the text (items that must differ, keys that must not repeat).

In reading order:

- `json_values`: JSON values by number, so that equal values have equal numbers.
- `trace`: the text since a checked container was opened, as virtual rows, and the checks themselves.
"""
