"""The recognizer's view of a place in a text."""

from ffgrammar.engine.engine cimport Engine

cdef class Place:
    # Where the lexemes that are being read began, as an offset in bytes; the offset of the place itself if none is being read.
    cdef readonly Py_ssize_t start
    # The lexemes that are being read: (lexeme, what may still follow in it as packed expression, whether it may end here,
    # nonterminals that wait for it).
    cdef readonly list reading
    # The lexemes that may begin here, also after those that end here: (lexeme, its packed expression, nonterminals that wait for
    # it).
    cdef readonly list expected
    # The bytes that may follow, ascending.
    cdef readonly bytes next_bytes
    # If a byte was given that is refused: "lexeme", "follow", "value", "dead end"; else "".
    cdef readonly str reason
    # How many bytes of those that were given fit.
    cdef readonly Py_ssize_t fitting
