from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.engine.canonical.masks cimport CanonicalMasks
from ffgrammar.engine.canonical.lookahead cimport Lookahead, PendingPrefix
from ffgrammar.engine.matcher.matcher cimport Matcher
from ffgrammar.tokens.canonical.rules cimport CanonicalState

cdef class CanonicalMatcher(Matcher):
    cdef readonly bint canonical  # whether only canonical tokens may come after the prompt, too
    cdef readonly tuple prompt_tokens
    cdef bytes prompt_end         # the bytes of the prompt that `prompt_tokens` do not have
    cdef list consumed                # after each of the first steps, how many of these bytes have come; until all have
    cdef Lookahead lookahead
    cdef CanonicalMasks masks

    # Whether only canonical tokens may come now.
    cdef bint is_guided(self)

    # Write the mask to `count` words, or count the drafted tokens and write their masks: a status as in
    # engine/position/cursor.pxd.
    cdef int fill_row(self, uint32_t* row, size_t count) except? -1
    cdef int fill_rows(self, const uint32_t* tokens, size_t token_count, uint32_t* rows, size_t count) except? -1

    cdef size_t consumed_bytes(self)
    cdef int set_prompt(self, object prompt) except -1
    cdef int keep(self, tokens, bytes rest) except -1
    cdef list pending_tokens(self)
    cdef object text_after_special(self, list ids)
    cdef int where(self, CanonicalState* at) except -1
    cdef int take_guided(self, uint32_t token) except? -1
    cdef int take_bytes(self, uint32_t token, const CanonicalState* at, PendingPrefix pending) noexcept
