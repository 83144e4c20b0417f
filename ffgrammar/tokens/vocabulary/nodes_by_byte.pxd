"""The nodes of a vocabulary's trie by the byte that leads to them, for bytes that are rare in tokens."""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    MAX_NODES = 8192  # if a byte leads to more nodes than this, they are not listed


@cython.final
cdef class NodesByByte:
    # The lists of all bytes, one after another. That of `byte` begins at `starts[byte]` and ends at `starts[byte + 1]`. Its nodes
    # are in ascending order.
    cdef uint32_t* nodes
    cdef uint32_t[257] starts
    cdef bint[256] is_listed  # by byte
