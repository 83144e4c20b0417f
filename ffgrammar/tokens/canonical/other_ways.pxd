"""What may come in the place of a token if the text goes on."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState

cdef enum:
    NO_TOKEN = 0xFFFFFFFF  # in `first`: only the token `last` comes

# Whether other tokens, whose bytes together begin with those of `token`, may come in its place after a state, and some text can
# go on after them. Tries what `remember` was told last, and then the longer tokens that begin with the bytes of `token`. Returns
# True, False or FAILED. False may also mean that two or more tokens together may come, but `remember` was not told of them.
cdef int has_other_way(CanonicalRules rules, const CanonicalState* at, uint32_t token) noexcept nogil

# Note what may come in the place of `token`: a token `first`, or NO_TOKEN, and then the token `last`.
cdef void remember(CanonicalRules rules, uint32_t token, uint32_t first, uint32_t last) noexcept nogil
