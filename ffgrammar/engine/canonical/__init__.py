"""The tokenizer's own tokens under a grammar.

A token may come only if some sentence goes on so that the tokenizer makes exactly these tokens of it. The rules of a
tokenizer are a floor below (tokens/canonical); here they meet the grammar.

In reading order:

    token_history   the state of the rules after a matcher's tokens
    pending_prefix  configurations inside the pending bytes of a prompt
    token_walk      the walk over tokens that both the grammar and the rules allow
    lookahead       whether a sentence goes on that keeps the tokens as they are
    masks           the canonical tokens that may come next
    forced          the bytes and tokens that must come next
    caches          what matchers of one grammar share of these
    policy          what a matcher asks
"""
