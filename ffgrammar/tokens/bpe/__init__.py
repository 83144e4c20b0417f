"""Byte-pair encoding: merging the bytes of a pre-token, and which tokens can stand side by side after merging.

In reading order:

    ids                 a growable array of token ids, and the status codes of encoding
    merge_list          the merges of a tokenizer that lists them, by pair of tokens
    merge_loop          the loop that merges the bytes of a pre-token into tokens
    merges              which two tokens can stand side by side after merging, and the two parts of a token
    split_all           the parts of all tokens at once
    packed_parts        listed merges and the parts of all tokens as plain words, for the cache
    left_lengths        the parts of all tokens of an embedded encoding, from packed lengths
    pack_lengths        the command that packs how long the left parts of an embedded encoding's tokens are
    token_masks         masks by token, found when they are first asked for; the base of the next two
    successors          for a token, all tokens that merges leave after it
    predecessors        for a token, all tokens that merges leave before it
    known_predecessors  for a few tokens, tokens that are known to be able to stand before them, as bits
    native              what an encoder says of itself, so that columns can be encoded
    pretoken_encoder    whether ids are those that an encoder makes of their bytes; the base of the next two
    builtin_encoder     the encoder of the embedded encodings
    native_encoder      the encoder of any tokenizer whose pre-tokenizer and merges are known
"""
