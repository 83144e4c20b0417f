"""The C types of tokens.py: what is read once for every token of a text."""

cdef class Token:
    cdef readonly str kind
    cdef readonly str value
    cdef readonly Py_ssize_t offset

cdef class Cursor:
    cdef readonly object texts
    cdef readonly object limits
    cdef list tokens
    cdef public Py_ssize_t at
    # The next token. `step` takes it.
    cpdef Token peek(self)
    cpdef Token step(self)
