"""Columns: many texts or many token lists at a time, in flat arrays.

A column is what Arrow calls a list or a string array: one array of values, and the offsets at which each row begins.
The functions here read and write such arrays. They release the GIL, and make no Python object for a token. Rows that
the tokenizer's rules do not decide are left to the caller, who asks the `Tokenizer` about them one by one.

In reading order:

    part    the texts of token ids: bytes, and how many of them are UTF-8
    check   whether the rows of a column are canonical
    encode  the tokens of the texts of a column
"""
