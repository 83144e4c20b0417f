"""The C types of strings.py. An expression is an int."""

cimport cython

from ffgrammar.regex.expr.store cimport ExprStore

cdef class Strings:
    cdef readonly ExprStore store
    cdef readonly object quote
    cdef readonly object any_char
    cdef readonly object canonical_char
    cdef readonly object canonical_body
    cdef readonly object any_key
    cdef dict _ranges
    cdef dict _chars
    cdef dict _lists
    cdef dict _patterns
    cdef dict _formats
    cdef dict _spellings
    # returns the canonical spelling of a string, with its quotes, as bytes; None if a character has several spellings
    cdef _plain(self, text)

    # returns the same expressions in another store
    @cython.locals(other=Strings)
    cpdef Strings rebound(self, ExprStore store)
    # returns the expression of a string, canonically spelled
    cpdef key(self, text)
    # returns the expression of any one of some strings, canonically spelled
    cpdef any_of(self, texts)
    # returns the expression of the strings of low to high (None: no bound) characters whose bodies match all of `bodies`
    cpdef range(self, low, high, tuple bodies)
