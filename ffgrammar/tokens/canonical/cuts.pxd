"""Where a text is cut into pre-tokens, whatever text follows."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.pretokenize.table cimport MAX_HYPOTHESES, PretokenTable

cdef enum:
    UNKNOWN = 0xFF  # in `count`: there were too many states


cdef struct Cuts:
    # What the bytes of the tokens so far say about where their text is cut.
    uint32_t settled                    # how many tokens there are before the last known cut: no further text changes them
    uint16_t state                      # the state of the automaton of pre-tokens at this cut, before the next character
    uint8_t count                       # how many `states` there are, or UNKNOWN
    uint16_t[MAX_HYPOTHESES] states     # the states that the text so far leads to
    Utf8 character                      # the character that the bytes so far end in
    uint32_t begun                      # the index of the token in which this character began

# Set `at` to what is known before a text. `index` is the index of its first token.
cdef void cuts_begin(Cuts* at, uint32_t index) noexcept nogil

# Read the token with this index. The bytes so far must begin a UTF-8 text.
cdef void cuts_read(CanonicalRules rules, Cuts* at, uint32_t token, uint32_t index) noexcept nogil

# Read a character. `character` is its class. Returns True if it is known that the text is cut before this character, and if all
# earlier cuts are known, too.
cdef bint cuts_step(PretokenTable table, Cuts* at, uint32_t character) noexcept nogil
