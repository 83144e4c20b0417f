"""Lexemes as text. In reading order:

- characters: from expressions over bytes to trees over characters.
- cuts: which parts of trees get names of their own.
- regex_text: trees as regular expressions.
- written: trees as text with alternatives, sequences and repeats.
- terminals: lexemes as regular expressions with `&` and `~`.
- lexemes: what no notation can say; the trees of lexemes.
- state_rules: lexemes as rules, for notations without `&` and `~`.
"""
