"""Both states walk the trie at once. Where they have become one, the base's classes hold for all that is below."""

from libc.stdint cimport uint32_t

from ffgrammar.core.status cimport NO_MEMORY
from ffgrammar.core.vec cimport Vec, vec_free, vec_init, vec_push
from ffgrammar.engine.budget.class_words cimport inside_step
from ffgrammar.tokens.vocabulary.trie cimport (
    MAX_TOKEN_BYTES, TrieNode, next_node, node_byte, node_depth, node_token,
)

cdef enum:
    # A patch pays if the walk visits at most one node in this many.
    ONE_IN = 8


cdef void patch_init(Patch* p) noexcept nogil:
    vec_init(&p.tokens)
    vec_init(&p.exits)
    vec_init(&p.dropped)


cdef void patch_free(Patch* p) noexcept nogil:
    vec_free(&p.tokens)
    vec_free(&p.exits)
    vec_free(&p.dropped)


cdef inline int push_two(Vec* v, uint32_t one, uint32_t other) noexcept nogil:
    return NO_MEMORY if vec_push(v, one) < 0 else vec_push(v, other)


cdef int patch_find(Engine engine, uint32_t state, uint32_t base, Patch* p) noexcept nogil:
    cdef const TrieNode* nodes = engine.trie.nodes
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]
    cdef uint32_t bases[MAX_TOKEN_BYTES + 1]
    cdef uint32_t at = 1
    cdef uint32_t left = engine.trie.node_count // ONE_IN
    cdef uint32_t depth
    cdef bint exits, base_exits, differs
    cdef int status
    states[0] = state
    bases[0] = base
    while at < engine.trie.node_count:
        if left == 0:
            return 0
        left -= 1
        depth = node_depth(&nodes[at])
        status = inside_step(engine, states[depth - 1], node_byte(&nodes[at]), &states[depth], &exits)
        if status >= 0:
            status = inside_step(engine, bases[depth - 1], node_byte(&nodes[at]), &bases[depth], &base_exits)
        if status >= 0 and exits:
            status = push_two(&p.exits, at, states[depth - 1])
        if status >= 0 and base_exits:
            status = vec_push(&p.dropped, at)
        differs = states[depth] != bases[depth]
        if status >= 0 and differs and node_token(&nodes[at]) != engine.trie.pad_token:
            status = push_two(&p.tokens, node_token(&nodes[at]), states[depth])
        if status < 0:
            return status
        at = next_node(nodes, at, differs)
    return 1
