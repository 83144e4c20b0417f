"""What a check needs to know of the text.

A row does not remember the text, but some arrays must not close, or go on, unless their items say so (`ir.Grammar.checks`).
From the bracket that opens such an array until it closes, the tape runs: rows are *virtual*, each the end of one text since
then. A virtual row is the parser's row, the innermost open container and the text, which is shared with the rows before it.

Numbers of virtual rows are never given twice (but for those of texts that were only tried, see tape_mark), so a
configuration still says all that may follow. Nothing of a text stays behind when its outermost such array closes.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.values cimport Values

cdef enum:
    # flag of the number of a virtual row
    VIRTUAL = 0x80000000

    # kinds of checks, as bits
    CHECK_UNIQUE = 1    # no two items are equal
    CHECK_REPEATED = 2  # some two are

    # lists that are kept as sets at a time
    MEMBER_SETS = 4

cdef struct VirtualRow:
    uint32_t row     # the parser's
    uint32_t frame   # the innermost open container
    uint32_t before  # the virtual row one byte earlier, or NOWHERE
    uint32_t byte

cdef struct TapeMark:
    size_t rows, frames, lists, values

cdef struct Members:
    uint32_t list  # whose values are marked
    Vec marks      # per value

cdef struct Tape:
    Vec rows       # VirtualRows
    Vec frames     # open containers: (the one around it or NOWHERE, the virtual row that its item follows, list of the items
                   # before or NO_LIST, how many of the containers around it have lists)
    Vec lists      # (list of the items before, value, whether some two are equal); list 0 has no item
    Members members[MEMBER_SETS]  # by that number: the lists that were asked about last, as sets
    Values values
    Vec text       # scratch
    bint asked     # whether a check looked at the text; for who wants to know
    size_t max_words

cdef int tape_init(Tape* t) noexcept nogil
cdef void tape_free(Tape* t) noexcept nogil
cdef int tape_clear(Tape* t) noexcept nogil
cdef size_t tape_bytes(const Tape* t) noexcept nogil

# To forget what was written since: for who tries texts and keeps none of their configurations.
cdef TapeMark tape_mark(const Tape* t) noexcept nogil
cdef void tape_release(Tape* t, const TapeMark* mark) noexcept nogil

# The tape begins: a checked array was opened, and the parser is in `row`. Writes the virtual row.
cdef int tape_begin(Tape* t, uint32_t row, uint32_t* virtual) noexcept nogil

# One more byte of text.
cdef int tape_append(Tape* t, uint32_t virtual, uint32_t byte, uint32_t* longer) noexcept nogil

# A lexeme ended, the parser is in `row` now: what it opened or closed. Writes a virtual row, or `row` where the tape ends.
# `opens` says whether it opened a checked array.
cdef int tape_leave(Tape* t, uint32_t virtual, uint32_t row, bint opens, uint32_t* target) noexcept nogil

# Which of some checks hold for the innermost container, as bits; or a status. Where the text ends in its closing bracket or a
# comma, `inside` is 1, and that byte is not part of the last item.
cdef int tape_holds(Tape* t, uint32_t virtual, bint inside, uint32_t checks) noexcept nogil


cdef inline const VirtualRow* tape_row(const Tape* t, uint32_t virtual) noexcept nogil:
    return <const VirtualRow*>t.rows.data + (virtual & ~<uint32_t>VIRTUAL)
