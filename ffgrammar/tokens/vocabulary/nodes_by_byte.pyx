"""Few tokens have a quote or a backslash. A walk that is interested in these tokens alone goes from one node to the next in the
list of such a byte, and does not visit the rest of the trie.

    listed = NodesByByte(trie)          # cl100k_base: 0.4 MB
"""

cimport cython
from libc.stdint cimport uint32_t
from libc.stdlib cimport free, malloc

from ffgrammar.tokens.vocabulary.trie cimport TokenTrie, node_byte


@cython.final
cdef class NodesByByte:
    """The lists for one vocabulary.

    Args:
        trie: the vocabulary.
    """

    def __cinit__(self, TokenTrie trie not None):
        cdef uint32_t[256] counts
        cdef uint32_t byte, node
        cdef uint32_t total = 0
        for byte in range(256):
            counts[byte] = 0
        for node in range(1, trie.node_count):
            counts[node_byte(&trie.nodes[node])] += 1
        for byte in range(256):
            self.is_listed[byte] = counts[byte] <= MAX_NODES
            self.starts[byte] = total
            total += counts[byte] if self.is_listed[byte] else 0
            counts[byte] = self.starts[byte]
        self.starts[256] = total
        self.nodes = <uint32_t*>malloc((<size_t>total + 1) * sizeof(uint32_t))
        if self.nodes == NULL:
            raise MemoryError
        for node in range(1, trie.node_count):
            byte = node_byte(&trie.nodes[node])
            if self.is_listed[byte]:
                self.nodes[counts[byte]] = node
                counts[byte] += 1

    def __dealloc__(self):
        free(self.nodes)
