"""Partners of a token: the tokens that merges leave right after it inside a pre-token."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalRules

# Whether a token has a partner below a node of the trie, not at the node itself. Returns 1, also if many tokens were
# asked about in vain; 0; or FAILED. The last answers are kept.
cdef int has_partner_below(CanonicalRules rules, uint32_t token, uint32_t node) noexcept nogil
