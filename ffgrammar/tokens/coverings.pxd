"""Coverings of a byte prefix."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canon cimport Canon, CanonRules

cdef struct Entry:
    Canon at
    uint32_t before  # the entry without the last token; NOWHERE for the first one
    uint32_t place   # bytes of the prefix
    uint32_t next    # one more than the number of another entry of the same place, or 0


cdef class Covering:
    cdef readonly tuple kept
    cdef readonly bytes rest
    cdef uint32_t place
    cdef CanonRules rules
    cdef Canon at
    cdef uint32_t node  # where `rest` leads to in the trie
    cdef bytes mask

    cdef int find(self) except -1


cdef class Table:
    cdef CanonRules rules
    cdef bytes prefix
    cdef Entry* entries
    cdef uint32_t count
    cdef uint32_t room
    cdef uint32_t* heads  # by place: one more than the number of the last entry there

    cdef int add(self, const Canon* at, uint32_t before, uint32_t place) noexcept nogil
    cdef int extend(self, uint32_t number, list found) except -1
    cdef int take(self, uint32_t number, uint32_t token, uint32_t place) except -1
    cdef list contexts(self, const Canon* start)
    cdef tuple kept(self, uint32_t number)
