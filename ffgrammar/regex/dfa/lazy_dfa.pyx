"""How the automaton grows: one derivative for each lexeme of a state and each byte class, when a walk first needs it."""

from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_clear, bit_set, lowest_bit
from ffgrammar.core.intern cimport intern_add, intern_get, intern_len, intern_truncate
from ffgrammar.core.owner cimport own_intern, own_vec, owner_bytes, owner_free, owner_init, owner_status
from ffgrammar.core.pulse cimport pulse, work_done
from ffgrammar.core.status cimport LIMIT_DFA_STATES, NO_MEMORY, OK, WIDE
from ffgrammar.core.vec cimport vec_extend, vec_fill, vec_free, vec_push, vec_reserve
from ffgrammar.regex.dfa.threads cimport ALL_DIE, ALL_LEAVE, ENDS_BEFORE, GOES_ON, threads_init, threads_step
from ffgrammar.regex.expr.derivative cimport derivative, next_class, same_class
from ffgrammar.regex.expr.emptiness cimport matches_something
from ffgrammar.regex.expr.nodes cimport K_AND, NOTHING, Nodes, node, node_len, nullable, only_first

cdef enum:
    MAX_ENDING = 0x7FFFFF  # so that its number fits into a word of `delta`


cdef int dfa_init(Dfa* d, Nodes* nodes) noexcept nogil:
    cdef uint32_t empty
    d.nodes = nodes
    d.max_states = 1 << 22
    d.room = 0
    d.eager = False
    d.first_word = 0xFFFFFFFF
    owner_init(&d.owner)
    own_intern(&d.owner, &d.states)
    own_intern(&d.owner, &d.lexsets)
    own_vec(&d.owner, &d.delta)
    own_vec(&d.owner, &d.accept)
    own_vec(&d.owner, &d.lazy)
    own_vec(&d.owner, &d.beside)
    own_vec(&d.owner, &d.work)
    threads_init(&d.threads, &d.owner)
    if owner_status(&d.owner) < 0 or intern_add(&d.lexsets, NULL, 0, &empty) < 0:
        return NO_MEMORY
    return OK


cdef void dfa_free(Dfa* d) noexcept nogil:
    owner_free(&d.owner)


cdef int dfa_clear(Dfa* d) noexcept nogil:
    intern_truncate(&d.states, 0)
    vec_free(&d.delta)
    vec_free(&d.accept)
    # (the empty set keeps its number)
    intern_truncate(&d.lexsets, NO_LEXEMES + 1)
    return OK


cdef size_t dfa_bytes(const Dfa* d) noexcept nogil:
    return owner_bytes(&d.owner)


cdef inline bint has_ended(const Dfa* d, uint32_t lexeme) noexcept nogil:
    """Whether a lexeme that a state matches has ended already, because it ends anywhere."""
    return d.threads.present and d.threads.anywhere.data[lexeme % d.threads.lexemes] != 0


cdef bint is_shut(const Dfa* d, const uint32_t* pairs, size_t count, uint32_t lexeme, bint ends) noexcept nogil:
    """Whether a lexeme is read beside one that is not among some pairs, or that does not match there if `ends`."""
    cdef uint32_t other = d.beside.data[lexeme % d.beside.len]
    cdef size_t i
    if other == <uint32_t>ALONE:
        return False
    # (a lexeme with a slot is read beside one with the same slot)
    other += lexeme - lexeme % <uint32_t>d.beside.len
    for i in range(0, count, 2):
        if pairs[i] == other:
            return ends and not nullable(d.nodes, pairs[i + 1])
    return True


cdef void drop_shut(Dfa* d, size_t base) noexcept nogil:
    """Drop the pairs of lexemes that are read beside others, which are not in the tuple that lies on `work` from `base` on."""
    cdef uint32_t* pairs = d.work.data + base + 1
    cdef size_t count = d.work.len - base - 1
    cdef size_t kept = 0
    cdef size_t i
    # (those others are read alone, so dropping pairs on the way changes nothing for others)
    for i in range(0, count, 2):
        if not is_shut(d, pairs, count, pairs[i], False):
            pairs[kept] = pairs[i]
            pairs[kept + 1] = pairs[i + 1]
            kept += 2
    d.work.len = base + 1 + kept


cdef int find_state(Dfa* d, size_t base, uint32_t* state) noexcept nogil:
    """Find or add the state whose tuple lies on `work` from `base` on, and cut `work` back to `base`."""
    cdef uint32_t number, accept
    cdef uint32_t count = <uint32_t>(d.work.len - base)
    cdef uint32_t i
    cdef int status = intern_add(&d.states, d.work.data + base, count, &number)
    d.work.len = base
    if status < 0:
        return status
    state[0] = number << 8
    if status == 0:
        return OK
    for i in range(1, count, 2):
        if intern_get(&d.states, number)[i] >= d.first_word and not d.threads.present:
            break
        if d.beside.len and is_shut(d, intern_get(&d.states, number) + 1, count - 1, intern_get(&d.states, number)[i], True):
            continue
        if nullable(d.nodes, intern_get(&d.states, number)[i + 1]) and not has_ended(d, intern_get(&d.states, number)[i]):
            # This push cannot fail: the state's tuple lay here and was longer, so there is room.
            vec_push(&d.work, intern_get(&d.states, number)[i])
    status = intern_add(&d.lexsets, d.work.data + base, d.work.len - base, &accept)
    d.work.len = base
    if (status < 0 or vec_reserve(&d.accept, d.accept.len + 1) < 0 or vec_reserve(&d.delta, d.delta.len + 256) < 0):
        # Without memory for its row, the state must not be found again.
        intern_truncate(&d.states, number)
        return NO_MEMORY
    vec_push(&d.accept, accept)
    vec_fill(&d.delta, 256, 0xFF)
    if d.room:
        d.room -= 1
        if d.room == 0:
            return WIDE
    if d.nodes.work_end and work_done(&d.nodes.pulse) > d.nodes.work_end:
        return WIDE
    return LIMIT_DFA_STATES if number >= d.max_states else OK


cdef int dfa_start(Dfa* d, const uint32_t* pairs, size_t count, uint32_t* state) noexcept nogil:
    cdef size_t base = d.work.len
    if vec_push(&d.work, 1) < 0 or vec_extend(&d.work, pairs, count) < 0:
        return NO_MEMORY
    if d.beside.len:
        drop_shut(d, base)
    return find_state(d, base, state)


cdef int dfa_inside(Dfa* d, const uint32_t* pairs, size_t count, uint32_t* state) noexcept nogil:
    cdef size_t base = d.work.len
    if vec_push(&d.work, 0) < 0 or vec_extend(&d.work, pairs, count) < 0:
        return NO_MEMORY
    return find_state(d, base, state)


cdef int can_continue(Nodes* n, uint32_t e) noexcept nogil:
    """Whether `e` matches any text but the empty one; 1, 0 or a negative status."""
    cdef uint32_t covered[8]
    cdef uint32_t byte = 0
    cdef uint32_t i, found
    cdef int status
    for i in range(8):
        covered[i] = 0
    while next_class(n, e, covered, &byte):
        status = derivative(n, e, byte, &found)
        if status < 0:
            return status
        if found != NOTHING:
            status = matches_something(n, found)
            if status != 0:
                return status
    return 0


cdef int goes_on(Dfa* d, uint32_t state) noexcept nogil:
    """Whether any lexeme of a state can go on with some byte; 1, 0 or a negative status."""
    cdef uint32_t number = state >> 8
    cdef uint32_t i
    cdef int status
    for i in range(1, intern_len(&d.states, number), 2):
        status = can_continue(d.nodes, intern_get(&d.states, number)[i + 1])
        if status != 0:
            return status
    return 0


cdef int ends_at_once(Dfa* d, uint32_t state) noexcept nogil:
    """Whether a lexeme ends in this state without a look at the next byte; 1, 0 or a negative status."""
    cdef uint32_t lexset = dfa_accept(d, state)
    cdef uint32_t i
    cdef int status
    for i in range(intern_len(&d.lexsets, lexset)):
        if d.lazy.data[intern_get(&d.lexsets, lexset)[i]]:
            return 1
    if not d.eager or lexset == NO_LEXEMES:
        return 0
    status = goes_on(d, state)
    return status if status < 0 else not status


cdef int narrow_class(
    Nodes* n, uint32_t e, uint32_t byte, uint32_t* part, uint32_t* after, uint32_t* bits,
) noexcept nogil:
    """What `same_class` does. `part` is the first part of the last intersection of two. An intersection that begins with it, too,
    leaves it out: `bits` are narrowed by it already. `after` is what may follow `byte` in that part. Returns 0 if nothing may
    follow in `e`, else 1; or a status.

    (Python's grammar has a lexeme for each of 80 columns: a line end that is intersected with the column. Its slowest mask takes
    4.2 ms without this, and 2.9 ms with it.)
    """
    cdef const uint32_t* words = node(n, e)
    cdef int status
    if words[0] != K_AND or node_len(n, e) != 3:
        same_class(n, e, byte, bits)
        return 1
    if words[1] != part[0]:
        part[0] = words[1]
        same_class(n, part[0], byte, bits)
        status = derivative(n, part[0], byte, after)
        if status < 0:
            return status
    if after[0] == NOTHING:
        return 0
    same_class(n, node(n, e)[2], byte, bits)
    return 1


cdef int take_derivatives(Dfa* d, uint32_t number, uint32_t byte, uint32_t* bits) noexcept nogil:
    """Put the tuple of the state after `byte` on `work`, and narrow `bits` to bytes that lead to the same state."""
    # No state is added here, so the pairs stay where they are.
    cdef const uint32_t* pairs = intern_get(&d.states, number)
    cdef size_t base = d.work.len
    cdef uint32_t i, e, first, found
    cdef uint32_t part = NOTHING
    cdef uint32_t after = NOTHING
    cdef int status
    if vec_push(&d.work, 0) < 0:
        return NO_MEMORY
    for i in range(1, intern_len(&d.states, number), 2):
        e = pairs[i + 1]
        first = only_first(d.nodes, e)
        if first < 256 and first != byte:
            # A short cut: where thousands of keys may follow, nearly all of them are dropped here.
            bit_clear(bits, first)
            continue
        status = narrow_class(d.nodes, e, byte, &part, &after, bits)
        if status == 0:
            continue
        if status > 0:
            status = derivative(d.nodes, e, byte, &found)
        if status < 0:
            return status
        if found == NOTHING:
            continue
        status = matches_something(d.nodes, found)
        if status < 0:
            return status
        if status and (vec_push(&d.work, pairs[i]) < 0 or vec_push(&d.work, found) < 0):
            return NO_MEMORY
    if d.beside.len:
        drop_shut(d, base)
    return OK


cdef int find_target(Dfa* d, uint32_t accept, size_t base, uint32_t* target) noexcept nogil:
    """Write to `target` the word of `delta` for the tuple that lies on `work` from `base` on, if the bytes before match the lexemes
    of `accept`."""
    cdef int status
    if d.work.len == base + 1:
        d.work.len = base
        target[0] = LEAVE if accept != NO_LEXEMES else DEAD
        return OK
    if d.work.data[base + 1] >= d.first_word:
        # (only words go on)
        d.work.len = base
        target[0] = DEAD
        return OK
    status = find_state(d, base, target)
    if status < 0:
        return status
    status = ends_at_once(d, target[0])
    if status > 0:
        target[0] |= LAZY
    return status


cdef int dfa_target(Dfa* d, const uint32_t* pairs, size_t count, uint32_t* target) noexcept nogil:
    cdef size_t base = d.work.len
    if vec_push(&d.work, 0) < 0 or vec_extend(&d.work, pairs, count) < 0:
        return NO_MEMORY
    return find_target(d, NO_LEXEMES, base, target)


cdef int find_threads(Dfa* d, uint32_t number, size_t base, uint32_t byte, uint32_t* bits, uint32_t* target) noexcept nogil:
    """find_target in a grammar with threads. Narrows `bits` to `byte` if the target depends on the byte itself."""
    cdef uint32_t before = intern_len(&d.states, number) >> 1
    cdef uint32_t after = <uint32_t>(d.work.len - base) >> 1
    cdef size_t flags = d.work.len
    cdef uint32_t i, ending
    cdef int status = vec_fill(&d.work, before + after, 0)
    if status < 0:
        return NO_MEMORY
    for i in range(before):
        d.work.data[flags + i] = nullable(d.nodes, intern_get(&d.states, number)[2 * i + 2])
    for i in range(after):
        d.work.data[flags + before + i] = nullable(d.nodes, d.work.data[base + 2 * i + 2])
    status = threads_step(
        &d.threads, &d.lazy, intern_get(&d.states, number) + 1, before, d.work.data + base + 1, &after, d.work.data + flags, byte)
    d.work.len = base + 1 + 2 * after
    if status == GOES_ON:
        return find_state(d, base, target)
    d.work.len = base
    if status == ALL_LEAVE or status == ALL_DIE:
        target[0] = LEAVE if status == ALL_LEAVE else DEAD
    elif status >= 0:
        if status == ENDS_BEFORE:
            for i in range(8):
                bits[i] = 0
            bit_set(bits, byte)
        if intern_add(&d.lexsets, d.threads.ending.data, d.threads.ending.len, &ending) < 0:
            return NO_MEMORY
        if ending > MAX_ENDING:
            return LIMIT_DFA_STATES
        target[0] = <uint32_t>LAZY | ending << 8 | <uint32_t>NO_STATE
    return min(status, OK)


cdef int dfa_fill(Dfa* d, uint32_t state, uint32_t byte, uint32_t* target) noexcept nogil:
    cdef uint32_t bits[8]
    cdef uint32_t found, i
    cdef size_t base = d.work.len
    cdef int status
    for i in range(8):
        bits[i] = 0xFFFFFFFF
    status = pulse(&d.nodes.pulse, 64 + 4 * intern_len(&d.states, state >> 8))
    if status >= 0:
        status = take_derivatives(d, state >> 8, byte, bits)
    if status >= 0:
        if d.threads.present:
            status = find_threads(d, state >> 8, base, byte, bits, &found)
        else:
            status = find_target(d, d.accept.data[state >> 8], base, &found)
    if status < 0:
        d.work.len = base
        return status
    for i in range(8):
        while bits[i]:
            d.delta.data[state + (i << 5 | lowest_bit(bits[i]))] = found
            bits[i] &= bits[i] - 1
    target[0] = found
    return OK
