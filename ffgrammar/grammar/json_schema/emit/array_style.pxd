"""The C types of array_style.py. A symbol is an int, a body a tuple of symbols."""

from ffgrammar.grammar.json_schema.emit.layout cimport Layout
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

cdef class ArrayStyle:
    cdef readonly Symbols em
    cdef public object opening
    cdef public object closing
    cdef public object comma
    cdef public Layout layout
    # returns the symbol of the items that obey a conjunction, in an array at a depth
    cpdef item(self, tuple conj, int depth)
    # returns a body in brackets
    cpdef tuple enclosed(self, tuple body)
