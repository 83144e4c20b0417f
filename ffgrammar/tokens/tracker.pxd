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
    REFUSED        # no text begins with the tokens since the last special one: "no", unless it ends inside a character
    NOT_UTF8       # the same, and their bytes begin no UTF-8 text; only `is_canonical` can tell


cdef struct Step:
    # What is known after a token.
    CanonicalState at     # the state of the rules; of no use from LOST on
    Cuts cuts             # where the text is cut for certain; from REFUSED on only the character that the bytes end in
    uint32_t token
    uint32_t start        # the index of the first token of the text that the token is in (special tokens separate texts)
    uint32_t settled      # at least so many of the tokens so far are settled
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

    # The next three change a step, which is that after the token before, to the step after one more token. They raise MemoryError,
    # and what the tokenizer's encoder raises.

    # Any token. Returns 0.
    cdef int go_on(self, Step* step) except -1

    # The part of `go_on` for a special token. Returns 0.
    cdef int separate(self, Step* step) except -1

    # The part of `go_on` for a token that no text has here, and for those after it.
    cdef void refuse(self, Step* step) noexcept

    # The verdict for a step.
    cdef str verdict_of(self, const Step* step)

    # Whether all tokens are settled, the last one included. Returns 1 or 0.
    cdef bint is_settled(self, Step* step, const CanonicalState* before) except -1

    # Read the tokens that are not known to be settled into `end`. Returns 0.
    cdef int read_end(self, const Step* step, uint32_t count) except -1

    # Whether the last token leaves the text in the tokenizer's normal form, which it was in before. `cut` says whether the text
    # before it ends inside a character.
    cdef bint keeps_form(self, const Step* step, bint cut) except -1

    # The same by looking at the end of the text. This is for tokens where it depends on the text before.
    cdef bint end_keeps_form(self, const Step* step) except -1

    # The ids of the tokens from `first` on, as a list.
    cdef list ids_from(self, uint32_t first)
