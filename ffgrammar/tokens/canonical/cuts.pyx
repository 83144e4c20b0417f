"""Where a text is cut into pre-tokens, whatever text follows.

A text leads to a set of hypotheses (tokens/pretokenize/automaton.py). If there is only one, it is known where the text so far is
cut. If in addition the pre-token must end before the next character, the text is cut there. Then all tokens up to this place
stay as they are. In most texts this is so at the end of nearly every word.
"""

from libc.stdint cimport uint16_t, uint32_t

from ffgrammar.tokens.pretokenize.table cimport DEAD, MAX_HYPOTHESES, PretokenTable, successor

cdef void cuts_begin(Cuts* at) noexcept nogil:
    at.count = 1
    at.states[0] = 0


cdef bint cuts_step(PretokenTable table, Cuts* at, uint32_t character) noexcept nogil:
    cdef Cuts before = at[0]
    cdef bint goes_on = False
    cdef uint32_t way, to, i, j
    if before.count == UNKNOWN:
        return False
    at.count = 0
    for i in range(before.count):
        for way in range(table.ways):
            to = successor(table, way, before.states[i], character)
            if to == DEAD:
                continue
            goes_on = goes_on or way < table.stays
            for j in range(at.count):
                if at.states[j] == to:
                    break
            else:
                if at.count == MAX_HYPOTHESES:
                    at.count = UNKNOWN
                    return False
                at.states[at.count] = <uint16_t>to
                at.count += 1
    return before.count == 1 and not goes_on
