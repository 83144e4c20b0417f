"""Vocabularies: the bytes of tokens by id, and ids by bytes.

In reading order:

    packed_tokens  the bytes of tokens by id, in one piece
    byte_order     sorting tokens by their bytes
    front_coded    tokens in byte order in a short form, from which a trie is made
    token_index    the look-up of a token by its bytes
    trie           the packed trie that masks are computed on
    nodes_by_byte  the nodes of the trie that a rare byte leads to
    longest_match  the encoder of a vocabulary that is matched greedily
    special        special tokens, EOS ids and sizes, checked; the names of special tokens in texts
    characters     which characters the tokens are made of
    normal_form    Unicode's normal forms, and lower case
    fingerprint    what tells a vocabulary from all others
    embedded       the encodings that come with the package
    pack           the form in which these encodings are stored, and the command that writes it
"""
