"""Lexer states that differ in how often a loop may still go round.

A string of at most 40 characters and one of at most 39 are different states, but their tokens fall into the same classes: those
of one character, of two characters, and so on. So one walk over the trie serves all such states. It starts from a state whose
loop goes on longer than any token. Where a shorter loop ends inside a token, the token's class is dropped.
"""

from libc.stdint cimport uint32_t

from ffgrammar.regex.dfa.lazy_dfa cimport Dfa

# Write to `longer` the state whose loop goes on longer than any token, or `state` itself if it is not of this kind. It is of this
# kind if it has a single lexeme, one loop whose count may vary and is bounded, and behind the loop something that may not be
# empty. Then a token's count of rounds tells the state after it: what a token makes of `longer` tells what it makes of `state`.
# But this holds only as long as no state that a token leads to from `longer` is complete and may go on; the caller finds out.
# Returns OK or a status.
cdef int with_longer_loop(Dfa* dfa, uint32_t state, uint32_t* longer) noexcept nogil
