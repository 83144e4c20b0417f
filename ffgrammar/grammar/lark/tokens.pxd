"""The C types of tokens.py: what is read once for every token of a text."""

cimport cython

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


# A token of a kind, with its text and its place.
@cython.locals(made=Token)
cdef Token token(str kind, str value, Py_ssize_t offset)


# tokens.py says what these read. A place is an offset in the text.
@cython.locals(text=str, at=Py_ssize_t, end=Py_ssize_t, stop=Py_ssize_t, char=Py_UCS4, value=str)
cpdef list tokens(object texts, Py_ssize_t begin)


@cython.locals(char=Py_UCS4, hyphen=bint)
cdef Py_ssize_t _name_end(str text, Py_ssize_t at, Py_ssize_t end)


@cython.locals(char=Py_UCS4)
cdef Py_ssize_t _string_end(str text, Py_ssize_t at, Py_ssize_t end)


@cython.locals(taken=Token)
cdef Py_ssize_t _rare(object texts, list made, Py_ssize_t at)
