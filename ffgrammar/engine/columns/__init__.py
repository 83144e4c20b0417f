"""Columns: many texts under one grammar at a time, in flat arrays (see tokens/columns).

The functions here release the GIL, and make no Python object for a byte or a token. No matcher is made for a row: a
configuration moves from the start of each text to its end, and nothing is kept of the text.

In reading order:

    validate  whether the texts of a column are sentences, and where they leave the grammar
    forced    how many tokens of each text were forced
"""
