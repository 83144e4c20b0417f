"""Random sentences of a grammar, chosen by its rules. In reading order:

- characters_of: random characters and words, as a person would write them.
- lexeme_texts: random texts of a lexeme.
- derivation: random derivations: lexemes one after another.

The texts of lexemes, one after another, need not be a sentence, because the lexer may read them in another way. So
api/sampler.py has a matcher read them, and completes the sentence in another way where a lexeme does not fit.
"""
