"""Masks: which tokens of the vocabulary may come next.

In reading order:

- `trie_walk`: what a lexer state says of the whole vocabulary, found by the lexer alone.
- `lexeme_exit`: the tokens in which a lexeme ends, so that the parser must be asked.
- `base_state`: states that are nearly alike, so that the partition of one is made from that of the other.
- `open_state`: lexemes that are read beside others count only where the others end.
- `products`: lexemes that are intersections of many expressions, taken apart.
- `product_search`: whether what is taken apart can be completed.
- `product_repair`: the same, by a text that completes one part after another.
- `product_walk`: the partition of such a state, by a walk that follows the parts.
- `split_state`: the partition of a state whose lexemes go on in very many combinations, from one of each lexeme.
- `partition_cache`: partitions of a vocabulary, kept for all grammars.
- `partition_notes`: what else is found out about lexer states, kept in the same table.
- `segment_walk`: what a lexer state says of what is left of tokens where a lexeme has ended.
- `segments`: masks made of such parts, in grammars that are not delimited.
- `config_walk`: lexer and parser together over the whole vocabulary, where lexemes may end anywhere.
- `mask_cache`: finished masks, and a table of them that is read without the engine's lock.
- `scratch`: room for the masks that are being made, shared by the engines of a vocabulary.
- `tables`: what an engine keeps for its masks.
- `state_partition`: the partition of a lexer state, made in the cheapest way.
- `compute`: makes a mask with all of the above; other rooms call its `masks_find` and `masks_explain`.
"""
