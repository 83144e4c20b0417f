"""The productions of a grammar as flat arrays."""

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec

cdef class Productions:
    cdef Owner owner
    # Production i is one of nonterminal heads[i]. Its right-hand side is the symbols from index starts[i] up to, but without,
    # index starts[i + 1].
    cdef Vec heads
    cdef Vec starts
    cdef Vec symbols
    # Append one production. Takes the number of its nonterminal, and the symbols of its right-hand side. Returns 0, or raises
    # MemoryError and appends nothing.
    cpdef int append(self, uint32_t head, body) except -1
    # Append all productions of `other`. Nonterminal n becomes n + `first`. The symbols of `lexemes` stand for the terminals of
    # `other`; the symbol `after`, if it is not None, follows each of them. Returns 0, or raises MemoryError.
    cpdef int extend_from(self, Productions other, uint32_t first, lexemes, after) except -1
