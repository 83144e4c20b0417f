"""Byte-pair encoding: merging the bytes of a pre-token, and which tokens merges leave side by side.

In reading order:

    ids              a growable array of token ids, and the status codes of encoding
    merge_list       merges that a tokenizer lists, by pair
    merge_loop       the loop that merges the bytes of a pre-token into tokens
    merges           which two tokens the merges leave side by side
    successors       for a token, all tokens that merges leave beside it
    builtin_encoder  the encoder of the embedded encodings
    native_encoder   the encoder of any tokenizer whose pre-tokenizer and merges are known
"""
