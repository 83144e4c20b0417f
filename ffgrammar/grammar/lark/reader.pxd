"""The C type of reader.py."""

from ffgrammar.grammar.lark.body cimport BodyReader

cdef class Reader(BodyReader):
    cdef readonly object importer
    cdef readonly object folder
    cdef readonly object grammars
    cdef public object source
    cdef public object wanted
    cdef public list changes
    cdef Py_ssize_t count
    cdef dict named
