"""The C types of reader.py, which runs for every subschema of every shape. A conjunction is a tuple of ints."""

cimport cython

from ffgrammar.grammar.json_schema.documents.subschemas cimport Subschema, Subschemas
from ffgrammar.grammar.json_schema.shape.shape cimport Shape

cdef class Reader:
    cdef object _context
    cdef Subschemas _subschemas
    cdef object _warnings
    cdef dict _tables
    cdef set _annotations

    # applies the schemas of a conjunction to a shape, and appends a Choice to `choices` for each keyword that has alternatives;
    # returns the numbers of the subschemas that were applied, among other things; raises GrammarError, UnsupportedError,
    # LimitError, NameNeeded
    @cython.locals(at=Py_ssize_t, subschema=Subschema, table=dict, done=set, stack=list, subschemas=list)
    cpdef set apply(self, Shape shape, tuple conj, tuple path, list choices)

    # takes a subschema, its number, and the path of the subschema that leads to it; returns the owners for which the subschema
    # evaluates properties or items (see unevaluated.py), as numbers of subschemas
    @cython.locals(owners=tuple)
    cdef tuple _owners(self, Subschema subschema, Py_ssize_t at, tuple path)

    # raises GrammarError when the path that leads to the subschema `at` contains this subschema already, LimitError when the
    # path is too long
    cdef _refuse_circle(self, Py_ssize_t at, tuple path)

    # returns the name of a type if the conjunction demands this type and nothing else, else None
    @cython.locals(subschema=Subschema, table=dict)
    cpdef plain_type(self, tuple conj)

    # returns the type bits (see shape/types.py) that `type`, or the internal keyword TYPES_LEFT, allows in a subschema
    @cython.locals(subschema=Subschema)
    cpdef unsigned int types_of(self, Py_ssize_t at)

    # returns the functions that apply the keywords of a subschema's dialect, by keyword
    cdef dict _table(self, Subschema subschema)
    # warns about a word that is no keyword, once for each word; raises GrammarError when the word is not a string
    cdef _unknown(self, Subschema subschema, word)
