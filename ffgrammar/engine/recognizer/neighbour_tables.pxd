"""The tables of neighbours are made, by asking the lexer about each lexeme and the rules about each nonterminal."""

from ffgrammar.engine.recognizer.neighbours cimport Neighbours
from ffgrammar.engine.recognizer.recognizer cimport Recognizer

# Make the tables, if that was not tried yet. Returns OK; or NO_MEMORY or a status that ends the call.
cdef int neighbours_find(Neighbours* n, Recognizer* m) noexcept nogil
