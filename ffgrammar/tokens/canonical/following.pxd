"""Which tokens may follow a canonical sequence."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    # How many further tokens are tried, one after another, to complete what a token began. A character has at most four bytes.
    MAX_AHEAD = 4

# Set the bits of the tokens that may follow a state. Only tokens whose bytes begin with `text` count. `node` is the node of the
# trie that `text` leads to. (With no text and node 0 all tokens count.) `ahead` is for `can_go_on`; pass MAX_AHEAD. `mask` has
# n_words + 1 words. It may be NULL: then the search stops at the first token found. Returns how many were found, or FAILED. A
# token counts twice if it may come both where the pre-token ends before it and where it goes on.
cdef int follow(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, uint32_t* mask, uint32_t ahead
) noexcept nogil

# `follow` for one way only: with `ends`, the tokens before which the pre-token ends; else those with which it goes on.
cdef int follow_one_way(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, bint ends, uint32_t* mask, uint32_t ahead
) noexcept nogil

# Whether some text goes on from a state and leaves the tokens so far as they are: whether at most `ahead` further tokens lead
# to a place where a pre-token may end. Returns True, False or FAILED.
cdef int can_go_on(CanonicalRules rules, const CanonicalState* at, uint32_t ahead) noexcept nogil

# Whether a token may follow a state, and some text can go on after it. Returns True, False or FAILED.
cdef int may_come_next(CanonicalRules rules, const CanonicalState* at, uint32_t token) noexcept nogil

# Find a token that may follow a state, among the tokens at and below a node of the trie, and write it to token[0]. With `below`,
# the token of the node itself does not count. `text` leads to the node. Returns True, False or FAILED. If no token may follow,
# that is kept: the next call with the same arguments need not search.
cdef int find_first(
    CanonicalRules rules, const CanonicalState* at, uint32_t node, const uint8_t* text, bint below, uint32_t* token
) noexcept nogil
