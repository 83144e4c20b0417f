"""The automaton of pre-token boundaries as a table. What its states mean is told in automaton.py."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.tokens.pretokenize.builtin cimport CharClasses

cdef enum:
    DEAD = 0xFFFF
    MAX_LEVELS = 16  # patterns, one after another


cdef struct Range:
    uint32_t first
    uint32_t last
    uint8_t[256] by_kind


cdef class PretokenTable:
    cdef readonly uint32_t classes
    cdef readonly uint32_t states
    # way * size + state * classes + class -> state, or DEAD. In the first `stays` of the ways the pre-token goes on, in the
    # others it ends before the character.
    cdef uint16_t* to
    cdef readonly uint32_t ways
    cdef readonly uint32_t stays
    cdef size_t size
    cdef uint8_t* matches
    cdef uint8_t* final
    cdef readonly bint has_atoms
    cdef uint8_t* atoms      # by state: whether the pre-token is to be one token
    # The patterns on their own: the first one, and of each the one that cuts its pre-tokens.
    cdef PretokenTable first
    cdef PretokenTable below
    cdef readonly bint is_composed
    cdef bint has_below
    cdef bint has_gaps
    cdef bint makes_atoms
    cdef uint8_t[128] ascii
    cdef uint8_t[256] of_kind
    cdef Range* ranges
    cdef uint32_t range_count
    cdef CharClasses kinds
    # Sets of classes, as bits (of more than 64 classes all bits are set): by code point // 64 and // 4096 what is there, by
    # state what may come where the pre-token goes on, or ends.
    cdef uint64_t* there
    cdef uint64_t* there_wide
    cdef uint64_t* live_on
    cdef uint64_t* live_ends

    # The classes of the characters that begin with a part of one.
    cdef uint64_t possible(self, const Utf8* part) noexcept nogil

    cdef int load(self, object found) except -1

    # Where the pre-token ends that starts at `at`, which is before `count`; 0 if the text is not UTF-8. `stops`, of MAX_LEVELS,
    # are 0 at the start of a text. Then `atom` tells whether it is to be one token.
    cdef size_t next_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil
    cdef size_t level_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil
    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, bint* atom) noexcept nogil
    cdef size_t match_end(self, const uint8_t* text, size_t at, size_t count) noexcept nogil

    # The class of a character.
    cdef uint32_t search(self, uint32_t code) noexcept nogil
    cdef uint32_t class_of(self, uint32_t code) noexcept nogil
    cdef void find_classes(self) noexcept nogil
    cdef bint has_names(self, uint32_t block) noexcept nogil
