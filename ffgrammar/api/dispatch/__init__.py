"""`compile`, which knows what it is given. In reading order:

kinds        one row for each kind of source: how it is known, and what compiles it
compile_any  `compile`
"""
