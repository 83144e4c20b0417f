"""The C types of reader.py: what is read once for every token of a text."""

cdef class _Token:
    cdef readonly str kind
    cdef readonly str value
    cdef readonly Py_ssize_t offset

cdef class _Frame:
    cdef public _Token opener
    cdef public Py_ssize_t alternatives
    cdef public Py_ssize_t conjuncts
    cdef public Py_ssize_t items
    cdef public list negations

cdef class _Reader:
    cdef str text
    cdef object limits
    cdef list tokens
    cdef Py_ssize_t at
    cdef object source
    # The Op of a name, a string or a regular expression.
    cdef atom(self, _Token token)
    cdef string(self, _Token token)
    # These append to `ops`. reader.py says what each finishes.
    cdef item_done(self, list ops, _Frame frame)
    cdef conjunct_done(self, list ops, _Frame frame, _Token token)
    cdef alternative_done(self, list ops, _Frame frame, _Token token)
