"""The automaton of pre-token boundaries as a table. automaton.py says what its states mean."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.tokens.pretokenize.builtin cimport CharClasses

cdef enum:
    DEAD = 0xFFFF
    MAX_LEVELS = 16     # patterns, one after another
    MAX_HYPOTHESES = 8  # that are open at a time; automaton.py refuses patterns with more


cdef struct Range:
    uint32_t first
    uint32_t last
    uint8_t[256] by_kind


cdef class PretokenTable:
    cdef readonly uint32_t classes  # of characters
    cdef readonly uint32_t states
    # The successors of a state: several, because a boundary may depend on text that is not there yet. They are numbered by
    # "way"; in the first `stays` ways the pre-token goes on, in the others it ends before the character. See `successor`.
    cdef uint16_t* to        # way * size + state * classes + class -> state, or DEAD
    cdef readonly uint32_t ways
    cdef readonly uint32_t stays
    cdef size_t size
    cdef uint8_t* matches    # by state * classes + class: whether the pattern's first match ends before the character
    cdef uint8_t* final      # by state: whether the text may end
    cdef readonly bint has_atoms
    cdef uint8_t* atoms      # by state: whether the pre-token is to be one token
    # Where there are several patterns: the table of the first one, and in each table that of the one that cuts its pre-tokens.
    cdef PretokenTable first
    cdef PretokenTable below
    cdef readonly bint is_composed
    cdef bint has_below
    # Of a single pattern, see `Split`.
    cdef bint has_gaps
    cdef bint makes_atoms
    # Classes of characters: of ASCII; by class byte where the pattern does not name the character; and where it does.
    cdef uint8_t[128] ascii
    cdef uint8_t[256] of_kind
    cdef Range* ranges       # ascending
    cdef uint32_t range_count
    cdef CharClasses kinds
    # Sets of classes, as bits (of more than 64 classes all bits are set): by code point // 64 and // 4096 what is there, by
    # state what may come where the pre-token goes on, or ends.
    cdef uint64_t* there
    cdef uint64_t* there_wide
    cdef uint64_t* live_on
    cdef uint64_t* live_ends

    # Where the pre-token ends that starts at `at`, which is before `count`; 0 if the text is not UTF-8. `stops`, of MAX_LEVELS,
    # are 0 at the start of a text and kept between calls. `atom` is set to whether the pre-token is to be one token.
    cdef size_t next_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil

    # The same for one of several patterns and those that follow it.
    cdef size_t level_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil

    # The same for one pattern alone.
    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, bint* atom) noexcept nogil

    # Where the pattern's match ends that begins at `at`: `at` if there is none, 0 if the text is not UTF-8.
    cdef size_t match_end(self, const uint8_t* text, size_t at, size_t count) noexcept nogil

    # The class of a character.
    cdef uint32_t class_of(self, uint32_t code) noexcept nogil

    # The same without the table of ASCII.
    cdef uint32_t search(self, uint32_t code) noexcept nogil

    # The classes of the characters that begin with a part of one, as bits.
    cdef uint64_t possible(self, const Utf8* part) noexcept nogil

    # The constructor: allocate, and fill from a `Boundaries`. Raises MemoryError.
    cdef int load(self, object found) except -1

    # A step of it: fill `to`, `matches` and `final`. Raises MemoryError.
    cdef int load_successors(self, object found) except -1

    # Another: fill what finds the class of a character. Raises MemoryError.
    cdef int load_alphabet(self, object alphabet) except -1

    # Another: fill `there` and `there_wide`.
    cdef void find_classes(self) noexcept nogil

    # The last: fill `live_on` and `live_ends`.
    cdef void find_live(self) noexcept nogil

    # Whether the pattern names a code point of four blocks of 64 from `block` on.
    cdef bint has_names(self, uint32_t block) noexcept nogil


cdef inline uint32_t successor(PretokenTable table, uint32_t way, uint32_t state, uint32_t character) noexcept nogil:
    """The state after a character of a class, in one of the ways; DEAD where there is none."""
    return table.to[way * table.size + state * table.classes + character]


cdef inline bint may_begin(PretokenTable table, uint32_t state, const Utf8* part, bint ends) noexcept nogil:
    """Whether some character that begins with `part` has a successor, where the pre-token ends before it or goes on."""
    return (table.live_ends[state] if ends else table.live_on[state]) & table.possible(part) != 0
