"""Masks: which tokens of the vocabulary may come next.

In reading order:

- `trie_walk`: a lexer state against the whole vocabulary, by the lexer alone.
- `lexeme_exit`: the tokens in which a lexeme ends, and the parser is asked.
- `base_state`: states that are nearly alike, so that one partition is made from another.
- `partition_cache`: partitions of a vocabulary, kept for all grammars.
- `mask_cache`: finished masks, and a table of them that is read without the engine's lock.
- `compute`: how these make a mask; `masks_find` is the way in.
"""
