"""Which tokens may follow a canonical sequence."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    # Tokens that are looked for, one after another, to complete what the last one began: a character has four bytes.
    MAX_AHEAD = 4

# Set the bits of the tokens that may follow a state. Only tokens whose bytes begin with `text` count, which leads to `node` of the
# trie (no text and node 0: all tokens). `ahead` is MAX_AHEAD. The mask, of n_words and one more, may be NULL; then the first token
# is enough. Returns how many were found, or FAILED.
cdef int follow(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, uint32_t* mask, uint32_t ahead
) noexcept nogil

# The same of the tokens before which the pre-token ends, or goes on.
cdef int follow_one_way(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, bint ends, uint32_t* mask, uint32_t ahead
) noexcept nogil

# Whether some text goes on from a state so that its tokens stay as they are: no more than `ahead` tokens bring it to where a
# pre-token may end. Returns True, False or FAILED.
cdef int can_go_on(CanonicalRules rules, const CanonicalState* at, uint32_t ahead) noexcept nogil
