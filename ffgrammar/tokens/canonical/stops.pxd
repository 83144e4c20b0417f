"""Where a text, or a pre-token, may end."""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.tokens.canonical.outcomes cimport Outcomes
from ffgrammar.tokens.pretokenize.table cimport PretokenTable

# Set may_stop[state] to whether the pre-token or the text may end in a state. The array must be all 0 before.
cdef void find_stops(PretokenTable pretokens, uint8_t* may_stop) noexcept nogil

# Returns the hypotheses, as bits, with which the pre-token can end in free text. In free text any printable ASCII character may
# come. The caller frees the array. Raises MemoryError.
cdef uint32_t* find_free_ends(Outcomes outcomes) except NULL
