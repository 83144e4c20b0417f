"""Canonicality of a token sequence that grows."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.tokens.canonical.cuts cimport Cuts
from ffgrammar.tokens.canonical.rules cimport CanonicalRules, CanonicalState
from ffgrammar.tokens.canonical.unsettled cimport UnsettledEnd

cdef enum Found:
    # What is known of the tokens so far.
    SETTLED        # the verdict is "yes"
    OPEN           # "undecided"
    LOST           # "no", whatever follows: the tokens before the last special one are not the tokenizer's own
    # By the rules, no text begins with the tokens since the last special one. The verdict is "no" if their bytes end after a
    # whole character; if not, `is_canonical` gives the verdict.
    REFUSED
    NOT_UTF8       # as REFUSED, and no UTF-8 text begins with the bytes of these tokens: only `is_canonical` can tell


cdef struct Step:
    # What is known after a token.
    CanonicalState at     # the state of the rules; of no use if `found` is LOST or more
    Cuts cuts             # where the text is cut, whatever follows. From REFUSED on, only its field `character` is of use
    uint32_t token
    uint32_t start        # special tokens separate texts: the index of the first token of the text that `token` is in
    uint32_t settled      # at least this many of the tokens so far are settled: no further text can change them
    Found found


cdef class CanonicalityTracker:
    cdef object tok
    cdef object form            # the normal form of texts, or None
    cdef CanonicalRules rules
    cdef UnsettledEnd end
    cdef Vec steps              # of Step: one before the first token, and one for each token

    # The step after the first `count` tokens.
    cdef Step* step(self, uint32_t count) noexcept

    # How many tokens there are.
    cdef uint32_t size(self) noexcept

    # The next three methods get a copy of the last step, in which `token` is already the token that comes next. They turn this
    # copy into the step after that token.

    # Go on with any token. Returns 0; raises MemoryError, and what the tokenizer's encoder raises.
    cdef int go_on(self, Step* step) except -1

    # The part of `go_on` for a special token. Returns 0; raises what `go_on` raises.
    cdef int separate(self, Step* step) except -1

    # The part of `go_on` for a token that no text can have here, and for the tokens after it.
    cdef void refuse(self, Step* step) noexcept

    # The verdict for a step.
    cdef str verdict_of(self, const Step* step)

    # Whether all tokens are settled, the token of `step` included. `before` is the state before this token. If this takes a
    # search, the tokens that the search finds settled are added to `step.settled`. Returns 1 or 0; raises as `UnsettledEnd.read`.
    cdef bint is_settled(self, Step* step, const CanonicalState* before) except -1

    # Give the field `end` the tokens that are not known to be settled, up to the token of `step`, which is token number `count`,
    # counted from 1. Returns 0.
    cdef int read_end(self, const Step* step, uint32_t count) except -1

    # Whether the text is still in the tokenizer's normal form after the token of `step`. The text before this token is in that
    # form. `cut` says whether the text before the token ends inside a character.
    cdef bint keeps_form(self, const Step* step, bint cut) except -1

    # The part of `keeps_form` that looks at the end of the text, for a token for which the answer depends on the text before it.
    cdef bint end_keeps_form(self, const Step* step) except -1

    # The ids of the tokens from `first` on, as a list.
    cdef list ids_from(self, uint32_t first)
