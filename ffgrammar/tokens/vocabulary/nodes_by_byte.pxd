"""The nodes of a vocabulary's trie by the byte that leads to them, for bytes that are rare in tokens."""

cimport cython
from libc.stdint cimport uint32_t

from ffgrammar.tokens.vocabulary.trie cimport TokenTrie

cdef enum:
    MAX_NODES = 8192  # if a byte leads to more nodes than this, they are not listed


@cython.final
cdef class NodesByByte:
    cdef TokenTrie trie
    # The lists of all bytes, one after another. That of `byte` begins at `starts[byte]` and ends at `starts[byte + 1]`. Its nodes
    # are in ascending order. NULL before `need` is called.
    cdef uint32_t* nodes
    cdef uint32_t[257] starts
    cdef bint[256] is_listed  # by byte

    # Make the lists, if they are not made. Call this before the fields above are read. Any number of threads may call it. Returns
    # 0; raises MemoryError.
    cdef int need(self) except -1

    # Part of `need`: make the lists. Returns 0; raises MemoryError.
    cdef int make_lists(self) except -1
