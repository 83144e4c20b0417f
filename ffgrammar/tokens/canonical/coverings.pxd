"""Coverings of a byte prefix."""

from libc.stdint cimport uint32_t

from ffgrammar.tokens.canonical.rules cimport CanonicalState, CanonicalRules

cdef struct Entry:
    CanonicalState at
    uint32_t before  # the entry without the last token; NOWHERE for the first one
    uint32_t place   # bytes of the prefix


cdef struct Walk:
    # a token that is being read after an entry: where the pre-token ends before it, and where it goes on
    uint32_t entry
    uint32_t node
    bint has_ended
    bint goes_on
    CanonicalState ended
    CanonicalState on


cdef class Covering:
    cdef readonly tuple kept
    cdef readonly bytes rest
    cdef uint32_t place
    cdef CanonicalRules rules
    cdef CanonicalState at
    cdef uint32_t node  # where `rest` leads to in the trie
    cdef bytes mask

    cdef int find(self) except -1
    cdef int find_many(self, uint32_t* mask, uint32_t count) except -1


cdef class Table:
    cdef CanonicalRules rules
    cdef Entry* entries
    cdef uint32_t count
    cdef uint32_t room
    cdef uint32_t walked  # entries that have a walk, or had one
    cdef uint32_t place   # bytes that were read
    cdef Walk* walks      # those of tokens that have all bytes since their entry, the entry that keeps least first
    cdef uint32_t walk_count
    cdef uint32_t walk_room

    # Begin after some tokens; and read bytes.
    cdef int begin(self, const CanonicalState* start) except -1
    cdef int read(self, bytes data) except -1

    # [(entry, node of the trie)] where some token reaches the end, from the one that keeps most to the one that keeps least.
    # Whether it may come is not asked yet.
    cdef list contexts(self)
    cdef tuple kept(self, uint32_t number)

    cdef int add(self, const CanonicalState* at, uint32_t before) except -1
    cdef int start_walks(self) except -1
    cdef int step(self, uint32_t byte) except -1
    cdef int take(self, const Walk* walk, uint32_t token) except -1


cdef class GrowingPrefix:
    cdef Table table
    cdef bytearray data
