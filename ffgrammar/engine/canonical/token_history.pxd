"""Where the tokens of a matcher lead by the tokenizer's rules."""

from libc.stddef cimport size_t

from ffgrammar.engine.position.history cimport History
from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules

cdef enum:
    RECENT = 32  # steps that can be taken back without reading the tokens again


cdef struct Link:
    CanonicalState at
    size_t steps  # what `at` is the state after: this step, or the last one with a token before it


cdef class TokenHistory:
    cdef readonly CanonicalRules rules
    cdef object tokenizer
    cdef CanonicalState start           # before the first step
    cdef Link now
    cdef size_t top            # steps that were read
    cdef size_t lowest         # `links` has those from here on
    cdef Link[RECENT] links    # after step number k at k % RECENT
    cdef dict consumed             # by step: bytes that it has beside those of the history

    # What to begin after: any tokens.
    cdef int begin_after(self, tokens) except -1

    # The state after the steps of a history. Bytes that came without tokens count as the tokens that they alone give.
    cdef int follow(self, History* history, CanonicalState* at) except -1

    # Steps were taken back.
    cdef void cut(self, size_t steps)
    cdef TokenHistory copy(self)
    cdef int note(self, size_t step, const Link* link) except -1
    cdef int push(self, CanonicalState* at, text) except -1
