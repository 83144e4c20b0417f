"""Where a text is cut into pre-tokens, whatever text follows.

A text leads to a set of hypotheses (tokens/pretokenize/automaton.py). If there is only one, all cuts so far are known. If in
addition the pre-token must end before the next character, the text is cut there, and all tokens up to this cut are settled: no
further text can change them. In most texts this happens at the end of nearly every word. It takes some 10 ns a byte to find out.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from ffgrammar.core.utf8 cimport utf8_step
from ffgrammar.tokens.canonical.rules cimport CanonicalRules
from ffgrammar.tokens.pretokenize.table cimport DEAD, MAX_HYPOTHESES, PretokenTable, successor


cdef void cuts_begin(Cuts* at, uint32_t index) noexcept nogil:
    at.settled = at.begun = index
    at.state = 0
    at.count = 1
    at.states[0] = 0
    at.character.need = 0


cdef void cuts_read(CanonicalRules rules, Cuts* at, uint32_t token, uint32_t index) noexcept nogil:
    cdef uint16_t before
    cdef uint32_t i
    for i in range(rules.trie.offsets[token], rules.trie.offsets[token + 1]):
        if not at.character.need:
            at.begun = index
        utf8_step(&at.character, rules.trie.blob[i])
        if not at.character.need:
            before = at.states[0]
            if cuts_step(rules.pretokens, at, rules.pretokens.class_of(at.character.code)):
                at.settled = at.begun
                at.state = before


cdef bint cuts_step(PretokenTable table, Cuts* at, uint32_t character) noexcept nogil:
    cdef uint16_t[MAX_HYPOTHESES] found
    cdef uint32_t count = 0
    cdef bint goes_on = False
    cdef uint32_t way, to, i, j
    if at.count == UNKNOWN:
        return False
    for i in range(at.count):
        for way in range(table.ways):
            to = successor(table, way, at.states[i], character)
            if to == DEAD:
                continue
            goes_on = goes_on or way < table.stays
            for j in range(count):
                if found[j] == to:
                    break
            else:
                if count == MAX_HYPOTHESES:
                    at.count = UNKNOWN
                    return False
                found[count] = <uint16_t>to
                count += 1
    goes_on = goes_on or at.count > 1
    for i in range(count):
        at.states[i] = found[i]
    at.count = <uint8_t>count
    return not goes_on
