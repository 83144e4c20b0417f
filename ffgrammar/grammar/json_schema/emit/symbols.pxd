"""What Cython compiles symbols.py with."""

from ffgrammar.grammar.ir cimport GrammarBuilder

cdef class Symbols:
    cdef readonly object store
    cdef readonly object limits
    cdef readonly object strings
    cdef readonly object multiples
    cdef readonly object combiner
    cdef readonly bint any_order
    cdef readonly GrammarBuilder builder
    cdef readonly object left_brace
    cdef readonly object right_brace
    cdef readonly object left_bracket
    cdef readonly object right_bracket
    cdef readonly object layout
    cdef readonly object comma
    cdef readonly object colon
    cdef readonly object never
    cdef readonly dict keys
    cdef readonly dict shared
    cdef dict _rules
    cpdef symbol(self, tuple conj, int depth)
    cpdef rule(self, bodies, name=*)
    cpdef growing(self, bodies, more, name=*)
