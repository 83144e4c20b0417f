"""The C type of a lexeme."""

cimport cython

cdef class Lexeme:
    cdef readonly object expr
    cdef readonly object name
    cdef readonly bint lazy
    cdef readonly bint skip
    cdef readonly object check
    cdef readonly bint opens
    cdef readonly tuple tokens
    cdef readonly object group
    cdef readonly bint anywhere


# Returns a new lexeme that is nothing but an expression with a name.
@cython.locals(made=Lexeme)
cpdef Lexeme plain_lexeme(expr, name)
