"""The automaton over expressions. In reading order:

- lazy_dfa: the automaton, which builds itself while it is used.
- threads: lexemes side by side that do not compete.
- parts: an automaton for each member of an intersection, and the texts that complete them.
- part_ways: the shortest way from a member to a match of it, or of its complement.
"""
