"""An unmergeable token is one that merges do not make, and that the tokenizer writes only where it is a whole pre-token. So other
tokens must not spell it. Which tokens can begin to spell one depends on the node of the trie that the pre-token so far leads to,
and on nothing else. It is found once for each node, and kept for all grammars.
"""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

from ffgrammar.core.map cimport ABSENT, map_bytes, map_clear, map_free, map_get, map_init, map_put
from ffgrammar.core.status cimport NO_MEMORY, OK
from ffgrammar.core.vec cimport vec_extend, vec_free, vec_init, vec_push
from ffgrammar.tokens.vocabulary.trie cimport node_depth, node_token, subtree_end


@cython.final
cdef class Spelled:
    """The lists of a grammar.

    Args:
        rules: the tokenizer's rules.
    """

    def __cinit__(self, CanonicalRules rules not None):
        self.rules = rules
        self.trie = rules.trie
        vec_init(&self.tokens)
        if map_init(&self.at) < 0:
            raise MemoryError

    def __dealloc__(self):
        map_free(&self.at)
        vec_free(&self.tokens)

    cdef size_t bytes(self) noexcept nogil:
        return map_bytes(&self.at) + self.tokens.cap * sizeof(uint32_t)

    cdef int clear(self) noexcept nogil:
        map_clear(&self.at)
        vec_free(&self.tokens)
        return OK

    cdef int find(self, uint32_t node, uint32_t* offset) noexcept nogil:
        cdef int status
        offset[0] = map_get(&self.at, node)
        if offset[0] != ABSENT:
            return OK
        offset[0] = <uint32_t>self.tokens.len
        if vec_push(&self.tokens, 0) < 0:
            return NO_MEMORY
        status = self.add_list(node)
        if status >= 0:
            self.tokens.data[offset[0]] = <uint32_t>self.tokens.len - offset[0] - 1
            status = map_put(&self.at, node, offset[0])
        if status < 0:
            self.tokens.len = offset[0]
        return status

    cdef int add_list(self, uint32_t node) noexcept with gil:
        cdef size_t base = self.tokens.len
        cdef bytes kept
        try:
            kept = self.rules.spelled.get(node)
            if kept is not None:
                return vec_extend(&self.tokens, <const uint32_t*><const char*>kept, <size_t>len(kept) // sizeof(uint32_t))
            if self.list_tokens(node) < 0:
                return NO_MEMORY
            self.rules.spelled[node] = (<const char*>(self.tokens.data + base))[:(self.tokens.len - base) * sizeof(uint32_t)]
        except MemoryError:
            return NO_MEMORY
        return OK

    cdef int list_tokens(self, uint32_t node) noexcept nogil:
        cdef uint32_t first = 0xFFFFFFFF  # the smallest depth of the nodes since the last unmergeable token
        cdef uint32_t above = node_depth(&self.trie.nodes[node])
        cdef uint32_t stop = subtree_end(self.trie.nodes, node)
        cdef uint32_t below = node + 1
        while below < stop:
            if not self.rules.leads_to_unmergeable[below]:
                below = subtree_end(self.trie.nodes, below)
                continue
            first = min(first, node_depth(&self.trie.nodes[below]))
            if self.rules.is_unmergeable(below):
                if self.add_prefixes(below, above, first) < 0:
                    return NO_MEMORY
                first = 0xFFFFFFFF
            below += 1
        return OK

    cdef int add_prefixes(self, uint32_t node, uint32_t above, uint32_t first) noexcept nogil:
        cdef uint32_t start = self.trie.offsets[node_token(&self.trie.nodes[node])] + above
        cdef uint32_t size
        cdef int token
        for size in range(first - above, node_depth(&self.trie.nodes[node]) - above + 1):
            token = self.trie.find_token(self.trie.blob + start, size)
            if token >= 0 and vec_push(&self.tokens, <uint32_t>token) < 0:
                return NO_MEMORY
        return OK
