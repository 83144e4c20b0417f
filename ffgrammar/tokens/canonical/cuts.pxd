"""Where a text is cut into pre-tokens, whatever text follows."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES, PretokenTable

cdef enum:
    UNKNOWN = 0xFF


cdef struct Cuts:
    # The states of the automaton of pre-tokens that a text leads to, by its bytes alone.
    uint8_t count  # how many there are; UNKNOWN if there were too many
    uint16_t[MAX_HYPOTHESES] states

# Set `at` to what is known before a text.
cdef void cuts_begin(Cuts* at) noexcept nogil

# Read a character of a class. Returns whether the text is cut before it, and at no place that is not known yet. False may also
# mean that this is not known.
cdef bint cuts_step(PretokenTable table, Cuts* at, uint32_t character) noexcept nogil
