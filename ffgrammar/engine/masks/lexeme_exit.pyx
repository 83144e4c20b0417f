"""Most exits die at once: where a row is plain, one look at the automaton's table tells."""

from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport recognizer_end_lexeme
from ffgrammar.engine.masks.trie_walk cimport CONSUMED, EXIT_WORDS
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_append, trace_mark, trace_release
from ffgrammar.engine.recognizer.completability cimport step, completable
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, NO_LEXEMES
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, TrieNode


cdef int walk_exits(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t row, const Vec* exits, uint32_t* mask,
) noexcept nogil:
    if row & VIRTUAL:
        return leave_virtual(v, completability, m, row, exits, mask)
    return leave_plain(v, completability, m, row, exits, mask)


cdef int leave_plain(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t row, const Vec* exits, uint32_t* mask,
) noexcept nogil:
    cdef const uint32_t* exit_at = exits.data
    cdef const uint32_t* end = exits.data + exits.len
    cdef uint32_t lexset = NO_LEXEMES
    cdef Config left, inner
    cdef int leaves = 0
    cdef int status
    while exit_at < end:
        if exit_at[1] != lexset:
            lexset = exit_at[1]
            leaves = recognizer_end_lexeme(m, row, lexset, &left)
            if leaves < 0:
                return leaves
        # (a mask inside a JSON string whose split is known: 7.4 us without the look at the table, 6.4 with it)
        if leaves and (exit_at[0] & CONSUMED or m.dfa.delta.data[left.state + (v.nodes[exit_at[0]].word & 0xFF)] != DEAD):
            inner = left
            status = enter(v, completability, m, &inner, exit_at[0], mask)
            if status < 0:
                return status
        exit_at += EXIT_WORDS
    return 0


cdef int enter(
    const Vocabulary* v, Completability* completability, Recognizer* m, Config* inner, uint32_t exit_at, uint32_t* mask,
) noexcept nogil:
    """A token leaves the lexeme at a place, with `inner`: set it and those below it if they may."""
    cdef uint32_t at = exit_at & ~<uint32_t>CONSUMED
    cdef uint32_t token
    cdef int status
    if exit_at & CONSUMED:
        status = completable(completability, m, inner)
    else:
        status = step(completability, m, inner, v.nodes[at].word & 0xFF)
    if status > 0:
        token = v.nodes[at].word >> 8
        mask[token >> 5] |= <uint32_t>1 << (token & 31)
        if v.nodes[at].size >> 8 > 1:
            status = walk(v, completability, m, at, inner, mask)
    return status


cdef int leave_virtual(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t row, const Vec* exits, uint32_t* mask,
) noexcept nogil:
    """The same on a virtual row, where it matters what a token's bytes are before it leaves the lexeme."""
    cdef const TrieNode* nodes = v.nodes
    cdef const uint32_t* exit_at = exits.data
    cdef const uint32_t* end = exits.data + exits.len
    # the nodes above a place, and the virtual rows they lead to; `at` goes along the children of the last
    cdef uint32_t path[MAX_TOKEN_BYTES + 1]
    cdef uint32_t rows[MAX_TOKEN_BYTES + 1]
    cdef uint32_t depth = 0
    cdef uint32_t at = 1
    cdef uint32_t node
    cdef TraceMark mark
    cdef Config inner
    cdef int status
    path[0] = 0
    rows[0] = row
    while exit_at < end:
        node = exit_at[0] & ~<uint32_t>CONSUMED
        while node >= path[depth] + (nodes[path[depth]].size >> 8):
            at = path[depth] + (nodes[path[depth]].size >> 8)
            depth -= 1
        while True:
            while node >= at + (nodes[at].size >> 8):
                at += nodes[at].size >> 8
            if at == node:
                break
            status = trace_append(&m.trace, rows[depth], nodes[at].word & 0xFF, &rows[depth + 1])
            if status < 0:
                return status
            depth += 1
            path[depth] = at
            at += 1
        mark = trace_mark(&m.trace)
        inner.row = rows[depth]
        status = 1
        if exit_at[0] & CONSUMED:
            status = trace_append(&m.trace, inner.row, nodes[at].word & 0xFF, &inner.row)
        if status >= 0:
            status = recognizer_end_lexeme(m, inner.row, exit_at[1], &inner)
        if status > 0:
            status = enter(v, completability, m, &inner, exit_at[0], mask)
        if status < 0:
            return status
        trace_release(&m.trace, &mark)
        exit_at += EXIT_WORDS
    return 0


cdef int walk(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t above, const Config* config, uint32_t* mask,
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
        status = step(completability, m, &configs[depth], nodes[at].word & 0xFF)
        if status < 0:
            return status
        if status:
            token = nodes[at].word >> 8
            mask[token >> 5] |= <uint32_t>1 << (token & 31)
            at += 1
        else:
            at += nodes[at].size >> 8
    return 0
