"""The C types of layout.py. A symbol is an int."""

from ffgrammar.grammar.builder cimport GrammarBuilder

cdef class Layout:
    cdef readonly bint fuses_keys
    cdef readonly list line_break
    cdef readonly list last_break
    cdef GrammarBuilder _builder
    cdef object _store
    cdef object _options
    cdef bint _keys_apart
    cdef object _before
    cdef object _after
    # returns the symbols of a container with these brackets and this body
    cpdef tuple enclosed(self, opening, tuple body, closing)
