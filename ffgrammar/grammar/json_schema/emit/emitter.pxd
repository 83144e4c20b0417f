"""What Cython compiles emitter.py with."""

from ffgrammar.grammar.json_schema.normalize.shape cimport Shape
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

cdef class Emitter(Symbols):
    cdef readonly bint may_be_impossible
    cdef readonly list impossible
    cdef dict _symbols
    cdef dict _plain
    cdef dict _open
    cdef list _waiting
    cpdef symbol(self, tuple conj, int depth)
    cdef _close(self, tuple conj, made)
    cdef _make(self, tuple conj, int depth)
    cdef _add_symbols(self, Shape shape, int depth, list symbols)
    cdef _number(self, Shape shape)
