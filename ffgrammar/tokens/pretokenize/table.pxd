"""The automaton of pre-token boundaries as a table. automaton.py says what its states mean."""

cimport cython
from libc.stddef cimport size_t
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from ffgrammar.core.utf8 cimport Utf8
from ffgrammar.tokens.pretokenize.builtin cimport CharClasses

cdef enum:
    DEAD = 0xFFFF
    MAX_LEVELS = 16     # how many patterns may follow one another
    MAX_HYPOTHESES = 8  # how many hypotheses may be open at a time; automaton.py refuses patterns that need more


cdef struct Range:
    # A range of code points that the pattern names.
    uint32_t first
    uint32_t last
    uint8_t[256] by_kind  # the class by class byte


@cython.final
cdef class PretokenTable:
    cdef readonly uint32_t classes  # how many classes of characters there are
    cdef readonly uint32_t states
    # A state has several successors for one character, because a boundary may depend on text that is not there yet. The number of
    # a successor is its way. In the first `stays` ways the pre-token goes on, in the others it ends before the character.
    # `successor` reads this table.
    cdef uint16_t* to        # way * size + state * classes + class -> state, or DEAD
    cdef readonly uint32_t ways
    cdef readonly uint32_t stays
    cdef size_t size         # states * classes
    cdef uint8_t* matches    # by state * classes + class: whether some thread (automaton.py) matches before the character
    cdef uint8_t* final      # by state: whether the text may end there
    cdef readonly bint has_atoms
    cdef uint8_t* atoms      # by state: whether the pre-token is an atom, which is one token
    # If there are several patterns, this table is that of all together, and each pattern also has a table of its own. `first` is
    # the table of the first pattern. In a pattern's own table, `below` is the table of the next pattern, which cuts the
    # pre-tokens of this pattern.
    cdef PretokenTable first
    cdef PretokenTable below
    cdef readonly bint is_composed
    cdef bint has_below
    # For a single pattern: see `Split`.
    cdef bint has_gaps
    cdef bint makes_atoms
    # The classes of characters.
    cdef uint8_t[128] ascii    # of ASCII, by code point
    cdef uint8_t[256] of_kind  # of characters that the pattern does not name, by class byte
    cdef Range* ranges         # of characters that it names; ascending
    cdef uint32_t range_count
    cdef CharClasses kinds
    # Sets of classes: bit c & 63 stands for class c. (With more than 64 classes `there` and `there_wide` have all bits set.)
    cdef uint64_t* there       # by code point // 64: the classes of these 64 code points
    cdef uint64_t* there_wide  # by code point // 4096: the classes of these 4,096 code points
    cdef uint64_t* live_on     # by state: the classes of the characters with which the pre-token may go on
    cdef uint64_t* live_ends   # by state: the classes of the characters before which the pre-token may end

    # Takes text[:count] and an offset `at` below `count` where a pre-token starts. Returns where this pre-token ends, or 0 if
    # the text is not UTF-8. `stops` is an array of MAX_LEVELS offsets: the caller sets them to 0 at the start of a text, and
    # keeps them between the calls for this text. Sets `atom` to whether the pre-token is an atom.
    cdef size_t next_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil

    # Do what `next_end` does, for this pattern and those that follow it. stops[0] is the end of the pre-token that this
    # pattern found last, or 0.
    cdef size_t level_end(self, const uint8_t* text, size_t at, size_t count, size_t* stops, bint* atom) noexcept nogil

    # Do what `next_end` does, for one pattern alone and without `stops`.
    cdef size_t pretoken_end(self, const uint8_t* text, size_t at, size_t count, bint* atom) noexcept nogil

    # Where the pattern's match that begins at `at` ends. Returns `at` if there is none, and 0 if the text is not UTF-8.
    cdef size_t match_end(self, const uint8_t* text, size_t at, size_t count) noexcept nogil

    # The class of a character.
    cdef uint32_t class_of(self, uint32_t code) noexcept nogil

    # The class byte of a code point.
    cdef uint32_t kind_of(self, uint32_t code) noexcept nogil

    # Do what `class_of` does by a search in `ranges`, without the table of ASCII.
    cdef uint32_t search(self, uint32_t code) noexcept nogil

    # The classes, as bits, of the characters that begin with the bytes read so far. `part` must be inside a character.
    cdef uint64_t possible(self, const Utf8* part) noexcept nogil

    # Part of the constructor: allocate, and fill all tables from an `Automaton`. `find_classes` and `find_live` do the rest.
    # Returns 0; raises MemoryError, and TokenizerError if the automaton is damaged.
    cdef int load(self, object found) except -1

    # The steps of `load` follow. First, fill `to`, `matches`, `final` and `atoms`. Returns 0; raises as `load`.
    cdef int load_successors(self, object found) except -1

    # Fill `of_kind` and `ranges` from an `Alphabet`, and allocate `there` and `there_wide`. Returns 0; raises as `load`.
    cdef int load_alphabet(self, object alphabet) except -1

    # Part of `load_alphabet`: fill a table of classes by class byte.
    cdef int load_classes(self, uint8_t* by_kind, bytes given) except -1

    # Fill `there` and `there_wide`.
    cdef void find_classes(self) noexcept nogil

    # Fill `live_on` and `live_ends`.
    cdef void find_live(self) noexcept nogil

    # Whether the pattern names a code point of the four blocks from `block` on. A block has 64 code points.
    cdef bint has_names(self, uint32_t block) noexcept nogil


cdef inline uint32_t successor(PretokenTable table, uint32_t way, uint32_t state, uint32_t character) noexcept nogil:
    """The state after a character of the class `character`, in one of the ways; DEAD where there is none."""
    return table.to[way * table.size + state * table.classes + character]


cdef inline bint may_begin(PretokenTable table, uint32_t state, const Utf8* part, bint ends) noexcept nogil:
    """Whether a state has a successor for some character that begins with `part`. `ends` says whether the pre-token ends before
    the character or goes on. With more than 64 classes the answer may be True where there is none."""
    return (table.live_ends[state] if ends else table.live_on[state]) & table.possible(part) != 0
