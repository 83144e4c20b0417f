"""`compile`, which knows what it is given. In reading order:

kinds         one row for each kind of source: how it is known, and what compiles it
unknown_text  what a text of no known kind could be
compile_any   `compile`
"""
