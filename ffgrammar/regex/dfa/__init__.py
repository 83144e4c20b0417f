"""The automaton over expressions: lazy_dfa, which builds itself while it is used. Its header explains it."""
