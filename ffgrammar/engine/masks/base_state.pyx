"""Which state to compare with is a guess: what is found from it is exact, whatever it is (trie_walk.pyx)."""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.regex.dfa.lazy_dfa cimport dfa_inside
from ffgrammar.regex.expr.nodes cimport K_AND, K_CAT, K_REP, NO_BOUND, Nodes, node
from ffgrammar.regex.expr.approximate cimport min_distinguishing_length, relaxed

cdef enum:
    MAX_LEXEMES = 10000  # lexemes of a state that are looked at
    SOON = 16  # bytes; where a loop has at most so many left (1 in 100 tokens of cl100k are longer)


cdef inline const uint32_t* head(const Nodes* n, uint32_t e) noexcept nogil:
    """What an expression begins with."""
    cdef const uint32_t* words = node(n, e)
    return node(n, words[1]) if words[0] == K_CAT else words


cdef inline bint begins_with_loop(const Nodes* n, uint32_t e) noexcept nogil:
    cdef const uint32_t* words = head(n, e)
    if words[0] == K_AND:
        # (one of the members tells)
        words = node(n, words[1])
    return words[0] == K_REP and words[3] == NO_BOUND


cdef int base_state(Dfa* dfa, uint32_t state, Map* base_states, Vec* scratch, uint32_t* other) noexcept nogil:
    cdef uint32_t number = state >> 8
    cdef uint32_t count = intern_len(&dfa.states, number)
    cdef bint simpler = False
    cdef uint32_t i, e, found
    cdef int status
    other[0] = map_get(base_states, state)
    if other[0] != ABSENT:
        return OK
    other[0] = state
    scratch.len = 0
    # (from where a lexeme begins walks are short)
    if not intern_get(&dfa.states, number)[0] and count <= 2 * MAX_LEXEMES + 1:
        for i in range(1, count, 2):
            e = intern_get(&dfa.states, number)[i + 1]
            status = relaxed(dfa.nodes, e, &found)
            if status < 0:
                return status
            simpler |= found != e
            if found == e and not begins_with_loop(dfa.nodes, e):
                # a word, mostly
                continue
            if vec_push(scratch, intern_get(&dfa.states, number)[i]) < 0 or vec_push(scratch, found) < 0:
                return NO_MEMORY
        if simpler and count == 3 and head(dfa.nodes, e)[0] != K_AND:
            # a loop that ends soon: most tokens tell, and a split of its own serves others
            simpler = min_distinguishing_length(dfa.nodes, e, found) >= SOON
        if scratch.len and (simpler or scratch.len + 1 < count):
            status = dfa_inside(dfa, scratch.data, scratch.len, other)
            if status < 0:
                return status
    return map_put(base_states, state, other[0])
