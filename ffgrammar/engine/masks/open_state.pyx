"""Exits are in preorder, so one walk visits all of them, their ancestors, and the siblings before these."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.intern cimport intern_get, intern_len
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_push
from ffgrammar.engine.masks.trie_walk cimport CONSUMED, EXIT_WORDS
from ffgrammar.regex.dfa.lazy_dfa cimport ALONE, LAST_STATE, dfa_accept, dfa_inside, dfa_start, dfa_step
from ffgrammar.tokens.vocabulary.trie cimport MAX_TOKEN_BYTES, next_node, node_byte, node_depth, subtree_end


cdef int open_state(Dfa* dfa, uint32_t state, Vec* scratch, uint32_t* found) noexcept nogil:
    cdef const uint32_t* pairs = intern_get(&dfa.states, state >> 8)
    cdef uint32_t count = intern_len(&dfa.states, state >> 8)
    cdef uint32_t i
    found[0] = state
    if dfa.beside.len == 0:
        return OK
    scratch.len = 0
    for i in range(1, count, 2):
        if dfa.beside.data[pairs[i] % dfa.beside.len] == <uint32_t>ALONE:
            if vec_push(scratch, pairs[i]) < 0 or vec_push(scratch, pairs[i + 1]) < 0:
                return NO_MEMORY
    if scratch.len + 1 == count:
        return OK
    if pairs[0]:
        return dfa_start(dfa, scratch.data, scratch.len, found)
    return dfa_inside(dfa, scratch.data, scratch.len, found)


cdef int close_exits(Dfa* dfa, const Vocabulary* v, uint32_t state, Vec* exits) noexcept nogil:
    cdef uint32_t states[MAX_TOKEN_BYTES + 1]  # by depth
    cdef uint32_t at = 1
    cdef uint32_t node, target
    cdef uint32_t* words
    cdef size_t i
    cdef int status
    states[0] = state
    for i in range(exits.len // EXIT_WORDS):
        words = exits.data + i * EXIT_WORDS
        node = words[0] & ~<uint32_t>CONSUMED
        while at != node:
            if node < subtree_end(v.nodes, at):
                status = dfa_step(dfa, states[node_depth(&v.nodes[at]) - 1], node_byte(&v.nodes[at]), &target)
                if status < 0:
                    return status
                states[node_depth(&v.nodes[at])] = target
            at = next_node(v.nodes, at, node < subtree_end(v.nodes, at))
        target = states[node_depth(&v.nodes[at]) - 1]
        if words[0] & CONSUMED:
            status = dfa_step(dfa, target, node_byte(&v.nodes[at]), &target)
            if status < 0:
                return status
        words[1] = dfa_accept(dfa, target & LAST_STATE)
    return OK
