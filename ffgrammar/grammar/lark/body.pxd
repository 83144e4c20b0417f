"""The C types of body.py: what is read once for every item of a text."""

from ffgrammar.grammar.lark.tokens cimport Cursor, Token

cdef class Frame:
    cdef public Token opener
    cdef public Py_ssize_t alternatives
    cdef public Py_ssize_t conjuncts
    cdef public Py_ssize_t items
    cdef public list negations
    cdef public object condition
    cdef public Py_ssize_t first

cdef class BodyReader(Cursor):
    cdef public Py_ssize_t depth
    # The Op of a name, a string or a regular expression.
    cdef atom(self, list ops, Token token, bint in_terminal, Py_ssize_t depth)
    # These append to `ops`. body.py says what each finishes.
    cdef item_done(self, list ops, Frame frame)
    cdef conjunct_done(self, list ops, Frame frame, Token token)
    cdef alternative_done(self, list ops, Frame frame, Token token)
