"""The recognizer: whether a text may go on with a byte.

In reading order:

- `structs`: what the recognizer consists of, and configurations.
- `guards`: what the text of a lexeme must obey where the parameter of a nonterminal says so.
- `row_starts`: the lexer state in which the lexemes of a row begin.
- `checks`: the end of a lexeme whose text is compared with other texts.
- `recognizer`: lexer and parser together, one byte at a time.
- `followers`: the lexemes that may follow each lexeme.
- `separator`: a byte that keeps lexemes apart, and the lexer states from which a sentence can always follow.
- `separator_search`: looks for that byte.
- `neighbours`: which lexemes may stand next to each other, and what the rules allow if they do.
- `neighbour_tables`: finds them.
- `instance_lengths`: how many bytes the instances of parametric nonterminals need.
- `estimates`: how many bytes a sentence still needs, about.
- `completability`: whether a sentence can still follow, for grammars in which longest match may lose it.
"""
