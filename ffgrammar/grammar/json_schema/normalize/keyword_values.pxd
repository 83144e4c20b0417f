"""The C types of keyword_values.py."""

from ffgrammar.grammar.json_schema.documents.subschemas cimport Subschema, Subschemas
from ffgrammar.grammar.json_schema.strings.strings cimport Strings

cdef class KeywordValues:
    cdef readonly Subschemas subschemas
    cdef readonly Strings strings
    cdef object _formats
    cdef object _warnings
    cdef dict _scalars
    cdef dict _items
    cdef dict _groups
    cdef object _contents
    # returns the Items of a subschema; raises GrammarError, LimitError, UnsupportedError
    cpdef items(self, Subschema subschema)
    cdef _parse_items(self, Subschema subschema)
    # returns the Group of a subschema; raises GrammarError, LimitError, UnsupportedError
    cpdef group(self, Subschema subschema)
    cdef _parse_group(self, Subschema subschema)
