"""Most places die at once: where a row is plain, one look at the automaton's table tells."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.machine cimport machine_leave
from ffgrammar.engine.split cimport CONSUMED, PLACE_WORDS
from ffgrammar.engine.tape cimport VIRTUAL, TapeMark, tape_append, tape_mark, tape_release
from ffgrammar.engine.viability cimport step, viable
from ffgrammar.regex.dfa cimport DEAD, NO_LEXEMES
from ffgrammar.tokens.trie cimport MAX_TOKEN_BYTES, TrieNode


cdef int leave_at(
    const Vocabulary* v, Viability* viability, Machine* m, uint32_t row, const Vec* places, uint32_t* mask,
) noexcept nogil:
    if row & VIRTUAL:
        return leave_virtual(v, viability, m, row, places, mask)
    return leave_plain(v, viability, m, row, places, mask)


cdef int leave_plain(
    const Vocabulary* v, Viability* viability, Machine* m, uint32_t row, const Vec* places, uint32_t* mask,
) noexcept nogil:
    cdef const uint32_t* place = places.data
    cdef const uint32_t* end = places.data + places.len
    cdef uint32_t lexset = NO_LEXEMES
    cdef Config left, inner
    cdef int leaves = 0
    cdef int status
    while place < end:
        if place[1] != lexset:
            lexset = place[1]
            leaves = machine_leave(m, row, lexset, &left)
            if leaves < 0:
                return leaves
        # (a mask inside a JSON string whose split is known: 7.4 us without the look at the table, 6.4 with it)
        if leaves and (place[0] & CONSUMED or m.dfa.delta.data[left.state + (v.nodes[place[0]].word & 0xFF)] != DEAD):
            inner = left
            status = enter(v, viability, m, &inner, place[0], mask)
            if status < 0:
                return status
        place += PLACE_WORDS
    return 0


cdef int enter(
    const Vocabulary* v, Viability* viability, Machine* m, Config* inner, uint32_t place, uint32_t* mask,
) noexcept nogil:
    """A token leaves the lexeme at a place, with `inner`: set it and those below it if they may."""
    cdef uint32_t at = place & ~<uint32_t>CONSUMED
    cdef uint32_t token
    cdef int status
    if place & CONSUMED:
        status = viable(viability, m, inner)
    else:
        status = step(viability, m, inner, v.nodes[at].word & 0xFF)
    if status > 0:
        token = v.nodes[at].word >> 8
        mask[token >> 5] |= <uint32_t>1 << (token & 31)
        if v.nodes[at].size >> 8 > 1:
            status = walk(v, viability, m, at, inner, mask)
    return status


cdef int leave_virtual(
    const Vocabulary* v, Viability* viability, Machine* m, uint32_t row, const Vec* places, uint32_t* mask,
) noexcept nogil:
    """The same on a virtual row, where it matters what a token's bytes are before it leaves the lexeme."""
    cdef const TrieNode* nodes = v.nodes
    cdef const uint32_t* place = places.data
    cdef const uint32_t* end = places.data + places.len
    # the nodes above a place, and the virtual rows they lead to; `at` goes along the children of the last
    cdef uint32_t path[MAX_TOKEN_BYTES + 1]
    cdef uint32_t rows[MAX_TOKEN_BYTES + 1]
    cdef uint32_t depth = 0
    cdef uint32_t at = 1
    cdef uint32_t node
    cdef TapeMark mark
    cdef Config inner
    cdef int status
    path[0] = 0
    rows[0] = row
    while place < end:
        node = place[0] & ~<uint32_t>CONSUMED
        while node >= path[depth] + (nodes[path[depth]].size >> 8):
            at = path[depth] + (nodes[path[depth]].size >> 8)
            depth -= 1
        while True:
            while node >= at + (nodes[at].size >> 8):
                at += nodes[at].size >> 8
            if at == node:
                break
            status = tape_append(&m.tape, rows[depth], nodes[at].word & 0xFF, &rows[depth + 1])
            if status < 0:
                return status
            depth += 1
            path[depth] = at
            at += 1
        mark = tape_mark(&m.tape)
        inner.row = rows[depth]
        status = 1
        if place[0] & CONSUMED:
            status = tape_append(&m.tape, inner.row, nodes[at].word & 0xFF, &inner.row)
        if status >= 0:
            status = machine_leave(m, inner.row, place[1], &inner)
        if status > 0:
            status = enter(v, viability, m, &inner, place[0], mask)
        if status < 0:
            return status
        tape_release(&m.tape, &mark)
        place += PLACE_WORDS
    return 0


cdef int walk(
    const Vocabulary* v, Viability* viability, Machine* m, uint32_t above, const Config* config, uint32_t* mask,
) noexcept nogil:
    cdef const TrieNode* nodes = v.nodes
    cdef Config configs[MAX_TOKEN_BYTES + 1]
    cdef uint32_t at = above + 1
    cdef uint32_t end = above + (nodes[above].size >> 8)
    cdef uint32_t depth, token
    cdef int status
    configs[nodes[above].size & 0xFF] = config[0]
    while at < end:
        depth = nodes[at].size & 0xFF
        configs[depth] = configs[depth - 1]
        status = step(viability, m, &configs[depth], nodes[at].word & 0xFF)
        if status < 0:
            return status
        if status:
            token = nodes[at].word >> 8
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
            at += 1
        else:
            at += nodes[at].size >> 8
    return 0
