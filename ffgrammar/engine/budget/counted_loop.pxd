"""Lexer states that differ in how often a loop may still go round.

A string of at most 40 characters and one of at most 39 are different states, but their tokens fall into the same classes: those
of one character, of two characters, and so on. So one walk over the trie serves all such states. It starts from a state whose
loop goes on longer than any token. Where a shorter loop ends inside a token, the token's class is dropped.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# Write to `longer` the state whose loop goes on longer than any token, or `state` itself if it is not of this kind. It is of this
# kind if it has a single lexeme, whose expression ends with a bounded loop and one more byte, and a text can be read in one way
# only: the parts before the loop and its body are prefix codes, and the last byte does not begin the body. Then a text tells how
# often the loop has gone round, and with that the state, as long as the lexeme does not end. So tokens with the same state after
# `longer` have the same state after `state`, or none. Each exit of `state` is also an exit of `longer`, unless some state on the
# way is complete and can go on: the first word of ClassWords says so. Returns OK or NO_MEMORY.
cdef int with_longer_loop(Dfa* dfa, uint32_t state, uint32_t* longer) noexcept nogil
