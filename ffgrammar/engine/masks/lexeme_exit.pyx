"""In a plain row, only the lexemes of an exit matter. In a virtual row the bytes before the exit matter, too, because a check
may look at their value.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.bits cimport bit_set
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.recognizer.recognizer cimport lasting_row, recognizer_end_lexeme
from ffgrammar.engine.masks.trie_walk cimport CONSUMED, EXIT_WORDS, note_lead
from ffgrammar.engine.values.trace cimport VIRTUAL, TraceMark, trace_append, trace_mark, trace_release
from ffgrammar.engine.recognizer.completability cimport step, completable
from ffgrammar.regex.dfa.lazy_dfa cimport DEAD, NO_LEXEMES
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_size, node_token, subtree_end,
)


cdef int walk_exits(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t row, const Vec* exits, uint32_t* mask,
    Vec* leads, bint* text_dependent,
) noexcept nogil:
    if row & VIRTUAL:
        return walk_exits_virtual(v, completability, m, row, exits, mask, leads, text_dependent)
    return walk_exits_plain(v, completability, m, row, exits, mask, leads, text_dependent)


cdef int walk_exits_plain(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t row, const Vec* exits, uint32_t* mask,
    Vec* leads, bint* text_dependent,
) noexcept nogil:
    cdef const uint32_t* one = exits.data
    cdef const uint32_t* end = exits.data + exits.len
    cdef uint32_t lexset = NO_LEXEMES
    cdef Config after, inner
    cdef int allowed = 0
    cdef int status
    while one < end:
        if one[1] != lexset:
            lexset = one[1]
            allowed = recognizer_end_lexeme(m, row, lexset, &after, text_dependent)
            if allowed < 0:
                return allowed
        # (Inside a JSON string, with the partition known, a mask takes 7.4 us without this look at the automaton's table, and
        # 6.4 us with it.)
        if allowed and (one[0] & CONSUMED or m.dfa.delta.data[after.state + node_byte(&v.nodes[one[0]])] != DEAD):
            inner = after
            status = walk_exit(v, completability, m, &inner, one[0], mask, leads, text_dependent)
            if status < 0:
                return status
        one += EXIT_WORDS
    return OK


cdef int walk_exit(
    const Vocabulary* v, Completability* completability, Recognizer* m, Config* config, uint32_t exit_node, uint32_t* mask,
    Vec* leads, bint* text_dependent,
) noexcept nogil:
    """Set the tokens at and below one exit that may come. `config` is the configuration after the lexeme, and is overwritten.
    Returns a status below zero on failure."""
    cdef uint32_t at = exit_node & ~<uint32_t>CONSUMED
    cdef int status
    if exit_node & CONSUMED:
        status = completable(completability, m, config)
    else:
        status = step(completability, m, config, node_byte(&v.nodes[at]), text_dependent)
    if status > 0:
        bit_set(mask, node_token(&v.nodes[at]))
        if leads != NULL and note_lead(
                leads, node_token(&v.nodes[at]), lasting_row(m, config.row), config.state) < 0:
            return NO_MEMORY
        if node_size(&v.nodes[at]) > 1:
            status = walk_subtree(v, completability, m, at, config, mask, leads, text_dependent)
    return status


cdef struct Path:
    # The ancestors of an exit from the root on, and the virtual rows that their bytes lead to.
    uint32_t nodes[MAX_TOKEN_BYTES + 1]
    uint32_t rows[MAX_TOKEN_BYTES + 1]
    uint32_t depth
    uint32_t child  # a child of the last ancestor; the search for the next ancestor begins at this child


cdef int path_to(Path* path, Recognizer* m, const TrieNode* nodes, uint32_t target) noexcept nogil:
    """Go from one exit to the next, `target`: leave the subtrees that do not contain it, and descend to its parent. Afterwards
    `child` is the target. Returns OK or a status."""
    cdef int status
    while target >= subtree_end(nodes, path.nodes[path.depth]):
        path.child = subtree_end(nodes, path.nodes[path.depth])
        path.depth -= 1
    while True:
        while target >= subtree_end(nodes, path.child):
            path.child = subtree_end(nodes, path.child)
        if path.child == target:
            return OK
        status = trace_append(
            &m.trace, path.rows[path.depth], node_byte(&nodes[path.child]), &path.rows[path.depth + 1])
        if status < 0:
            return status
        path.depth += 1
        path.nodes[path.depth] = path.child
        path.child += 1


cdef int walk_exits_virtual(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t row, const Vec* exits, uint32_t* mask,
    Vec* leads, bint* text_dependent,
) noexcept nogil:
    cdef const uint32_t* one = exits.data
    cdef const uint32_t* end = exits.data + exits.len
    cdef Path path
    cdef TraceMark mark
    cdef Config inner
    cdef int status
    path.depth = 0
    path.nodes[0] = 0
    path.rows[0] = row
    path.child = 1
    while one < end:
        status = path_to(&path, m, v.nodes, one[0] & ~<uint32_t>CONSUMED)
        if status < 0:
            return status
        mark = trace_mark(&m.trace)
        inner.row = path.rows[path.depth]
        if one[0] & CONSUMED:
            status = trace_append(&m.trace, inner.row, node_byte(&v.nodes[path.child]), &inner.row)
        if status >= 0:
            status = recognizer_end_lexeme(m, inner.row, one[1], &inner, text_dependent)
        if status > 0:
            status = walk_exit(v, completability, m, &inner, one[0], mask, leads, text_dependent)
        if status < 0:
            return status
        trace_release(&m.trace, &mark)
        one += EXIT_WORDS
    return OK


cdef int walk_subtree(
    const Vocabulary* v, Completability* completability, Recognizer* m, uint32_t above, const Config* config, uint32_t* mask,
    Vec* leads, bint* text_dependent,
) noexcept nogil:
    """Set in `mask` the tokens strictly below the node `above` that lead to a configuration that can be completed. `config` is
    the configuration at the node `above`. Lexer and parser are asked at every node. Returns OK or a status."""
    cdef const TrieNode* nodes = v.nodes
    cdef Config configs[MAX_TOKEN_BYTES + 1]  # by depth
    cdef uint32_t at = above + 1
    cdef uint32_t end = subtree_end(nodes, above)
    cdef uint32_t depth
    cdef int status
    configs[node_depth(&nodes[above])] = config[0]
    while at < end:
        depth = node_depth(&nodes[at])
        configs[depth] = configs[depth - 1]
        status = step(completability, m, &configs[depth], node_byte(&nodes[at]), text_dependent)
        if status < 0:
            return status
        if status:
            bit_set(mask, node_token(&nodes[at]))
            if leads != NULL and note_lead(
                    leads, node_token(&nodes[at]), lasting_row(m, configs[depth].row), configs[depth].state) < 0:
                return NO_MEMORY
        at = next_node(nodes, at, status)
    return OK
