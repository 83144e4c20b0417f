"""The C types of emitter.py."""

from ffgrammar.grammar.json_schema.normalize.reader cimport Reader
from ffgrammar.grammar.json_schema.shape.shape cimport Shape
from ffgrammar.grammar.json_schema.emit.any_value cimport any_value
from ffgrammar.grammar.json_schema.emit.symbols cimport Symbols

cdef class Emitter(Symbols):
    cdef readonly bint may_be_impossible
    cdef readonly list impossible
    cdef Reader _reader
    cdef dict _symbols
    cdef dict _plain
    cdef dict _open
    cdef list _waiting
    cdef bint _holed
    cdef tuple _current
    # see Symbols
    cpdef symbol(self, tuple conj, int depth)
    # takes a conjunction and the symbol that was made of it; if a nonterminal stands for the conjunction already, the symbol
    # becomes its production; returns the symbol that stands for the conjunction
    cdef _close(self, tuple conj, made)
    # returns a symbol made from the shapes of a conjunction; `never` if there are none
    cdef _make(self, tuple conj, int depth)
    # returns the symbol of all values of a type
    cdef _of_type(self, str name, int depth)
    # adds symbols to the list `symbols`: one for each type for which the shape has values
    cdef _add_symbols(self, Shape shape, int depth, list symbols)
