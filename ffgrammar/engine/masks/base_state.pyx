"""The base keeps the loops of a state and drops what bounds them."""

from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.map cimport ABSENT, map_get, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.regex.dfa.lazy_dfa cimport dfa_inside
from ffgrammar.regex.expr.nodes cimport K_AND, K_CAT, K_REP, NO_BOUND, Nodes, node
from ffgrammar.regex.expr.approximate cimport min_distinguishing_length, relaxed

cdef enum:
    MAX_LEXEMES = 10000  # states with more lexemes have no base
    MIN_LENGTH = 16      # bytes: a loop that ends sooner does not pay (1 in 100 tokens of cl100k is longer than this)


cdef inline const uint32_t* head(const Nodes* n, uint32_t e) noexcept nogil:
    """The node that an expression begins with."""
    cdef const uint32_t* words = node(n, e)
    return node(n, words[1]) if words[0] == K_CAT else words


cdef inline bint begins_with_loop(const Nodes* n, uint32_t e) noexcept nogil:
    """Whether an expression begins with an unbounded loop."""
    cdef const uint32_t* words = head(n, e)
    if words[0] == K_AND:
        # (one member of the intersection is enough to tell)
        words = node(n, words[1])
    return words[0] == K_REP and words[3] == NO_BOUND


cdef int relax_lexemes(Dfa* dfa, uint32_t number, Vec* pairs, bint* pays) noexcept nogil:
    """Write the lexemes of a base, with relaxed expressions, to `pairs`: those that begin with a loop, and those that become
    simpler. `pays` becomes True if these are so much simpler than the state that they are worth using as its base. Returns OK or
    a status."""
    cdef uint32_t count = intern_len(&dfa.states, number)
    cdef bint simpler = False
    cdef uint32_t i, found
    cdef uint32_t e = 0
    cdef int status
    pairs.len = 0
    for i in range(1, count, 2):
        e = intern_get(&dfa.states, number)[i + 1]
        status = relaxed(dfa.nodes, e, &found)
        if status < 0:
            return status
        simpler |= found != e
        if found == e and not begins_with_loop(dfa.nodes, e):
            # (most often a fixed word, which has no loop)
            continue
        if vec_push(pairs, intern_get(&dfa.states, number)[i]) < 0 or vec_push(pairs, found) < 0:
            return NO_MEMORY
    if simpler and count == 3 and head(dfa.nodes, e)[0] != K_AND:
        # If the loop ends soon, most tokens tell the two states apart. The state then gets its own partition instead of a base.
        # Other grammars that have the same state use this partition too.
        simpler = min_distinguishing_length(dfa.nodes, e, found) >= MIN_LENGTH
    pays[0] = pairs.len != 0 and (simpler or pairs.len + 1 < count)
    return OK


cdef int base_state(Dfa* dfa, uint32_t state, Map* base_states, Vec* scratch, uint32_t* base) noexcept nogil:
    cdef uint32_t number = state >> 8
    cdef bint pays
    cdef int status
    base[0] = map_get(base_states, state)
    if base[0] != ABSENT:
        return OK
    base[0] = state
    # (walks from a state where lexemes begin are short)
    if not intern_get(&dfa.states, number)[0] and intern_len(&dfa.states, number) <= 2 * MAX_LEXEMES + 1:
        status = relax_lexemes(dfa, number, scratch, &pays)
        if status >= 0 and pays:
            status = dfa_inside(dfa, scratch.data, scratch.len, base)
        if status < 0:
            return status
    return map_put(base_states, state, base[0])
