"""Where a text, or a pre-token, may end, by state of the automaton of pre-tokens. This is found once for a pre-tokenizer."""

from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport calloc

from ffgrammar.core.bits cimport bit_set, bit_test
from ffgrammar.tokens.canonical.outcomes cimport Outcomes
from ffgrammar.tokens.pretokenize.table cimport DEAD, PretokenTable, successor

cdef enum:
    FIRST_PRINTABLE = 0x20
    AFTER_PRINTABLE = 0x7F


cdef void find_stops(PretokenTable pretokens, uint8_t* may_stop) noexcept nogil:
    cdef uint32_t state, way, character
    for state in range(pretokens.states):
        may_stop[state] = pretokens.final[state]
        for way in range(pretokens.stays, pretokens.ways):
            for character in range(pretokens.classes):
                if successor(pretokens, way, state, character) != DEAD:
                    may_stop[state] = True


cdef uint32_t* find_free_ends(Outcomes outcomes) except NULL:
    cdef PretokenTable pretokens = outcomes.pretokens
    cdef uint32_t words = outcomes.words
    cdef uint32_t code, after, i, j
    cdef uint32_t* found = <uint32_t*>calloc(words if words else 1, sizeof(uint32_t))
    if found == NULL:
        raise MemoryError
    for code in range(FIRST_PRINTABLE, AFTER_PRINTABLE):
        for i in range(words):
            found[i] |= outcomes.sure_ends[pretokens.class_of(code) * words + i]
    for j in range(0, outcomes.open_ends.len, 3):
        if not is_printable(pretokens, outcomes.open_ends.data[j]):
            continue
        after = outcomes.open_ends.data[j + 2]
        for code in range(FIRST_PRINTABLE, AFTER_PRINTABLE):
            if bit_test(outcomes.sure_next + pretokens.class_of(code) * words, after):
                bit_set(found, outcomes.open_ends.data[j + 1])
    return found


cdef bint is_printable(PretokenTable pretokens, uint32_t character) noexcept nogil:
    """Whether a class of characters has one that is printable ASCII."""
    cdef uint32_t code
    for code in range(FIRST_PRINTABLE, AFTER_PRINTABLE):
        if pretokens.class_of(code) == character:
            return True
    return False
