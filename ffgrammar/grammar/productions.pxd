"""The productions of a grammar as flat arrays."""

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec

cdef class Productions:
    cdef Owner owner
    # Production i has the nonterminal heads[i], and its right-hand side is symbols[starts[i]] up to symbols[starts[i + 1]].
    cdef Vec heads
    cdef Vec starts
    cdef Vec symbols
    # Append one production: the number of its nonterminal, and its symbols. Raises MemoryError, and then nothing is appended.
    cpdef int append(self, uint32_t head, body) except -1
