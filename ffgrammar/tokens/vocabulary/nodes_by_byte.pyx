"""Few tokens have a quote or a backslash. A walk that is interested in these tokens alone goes from one node to the next in the
list of such a byte, and does not visit the rest of the trie.

    listed = NodesByByte(trie)
    listed.need()                       # cl100k_base: 0.4 MB

The first canonical masks of a tokenizer do not walk so. So the lists are made when they are first needed, which takes 2 ms on
Gemma 3.
"""

cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from ffgrammar.tokens.vocabulary.trie cimport TokenTrie, node_byte


cdef void count_nodes(TokenTrie trie, uint32_t* counts) noexcept nogil:
    """By byte: how many nodes there are. (Neighbours often have the same byte, and a counter that was just written has to be waited
    for. So they have counters of their own.)"""
    cdef uint32_t[4 * 256] apart
    cdef uint32_t byte, node
    memset(apart, 0, sizeof(apart))
    for node in range(1, trie.node_count):
        apart[(node & 3) << 8 | node_byte(&trie.nodes[node])] += 1
    for byte in range(256):
        counts[byte] = apart[byte] + apart[256 + byte] + apart[512 + byte] + apart[768 + byte]


@cython.final
cdef class NodesByByte:
    """The lists for one vocabulary.

    Args:
        trie: the vocabulary.
    """

    def __cinit__(self, TokenTrie trie not None):
        self.trie = trie

    cdef int need(self) except -1:
        # (without the GIL, two threads may get here)
        with cython.critical_section(self):
            if self.nodes == NULL:
                self.make_lists()
        return 0

    cdef int make_lists(self) except -1:
        cdef TokenTrie trie = self.trie
        cdef uint32_t* nodes
        cdef uint32_t[256] next_
        cdef uint32_t byte, node
        cdef uint32_t total = 0
        count_nodes(trie, next_)
        for byte in range(256):
            self.is_listed[byte] = next_[byte] <= MAX_NODES
            self.starts[byte] = total
            total += next_[byte] if self.is_listed[byte] else 0
        self.starts[256] = total
        nodes = <uint32_t*>malloc((<size_t>total + 1) * sizeof(uint32_t))
        if nodes == NULL:
            raise MemoryError
        for byte in range(256):
            next_[byte] = self.starts[byte] if self.is_listed[byte] else total
        # (the processor cannot guess which bytes are listed: nodes of the others are written after the end of all lists)
        for node in range(1, trie.node_count):
            byte = node_byte(&trie.nodes[node])
            nodes[next_[byte]] = node
            next_[byte] += self.is_listed[byte]
        self.nodes = nodes
        return 0

    def __dealloc__(self):
        free(self.nodes)
