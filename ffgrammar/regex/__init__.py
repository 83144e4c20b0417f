"""Regular expressions over bytes: from a pattern to the automaton that the engine runs.

Everything is built on derivatives of hash-consed expressions, so intersection, complement and look-around are exact. In
reading order:

- syntax/: from the text of a pattern to a syntax tree.
- expr/: expressions, their algebra, their derivatives.
- lower/: from a syntax tree to an expression over bytes.
- dfa/: the lazy automaton over sets of (lexeme, expression) pairs, the engine's lexer.

This floor knows nothing of tokens or grammars.
"""
