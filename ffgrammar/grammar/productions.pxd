from libc.stdint cimport uint32_t

from ffgrammar.core.vec cimport Vec

cdef class Productions:
    # per production: its nonterminal; its symbols lie from its start to the next one
    cdef Vec heads
    cdef Vec starts
    cdef Vec symbols
    cpdef int append(self, uint32_t head, body) except -1
