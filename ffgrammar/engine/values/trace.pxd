"""What a check needs to know of the text.

A row does not remember the text, but some arrays must not close, or go on, unless their items say so, and some objects must
not repeat a key (`ir.GrammarIR.checks`). From the bracket that opens such a container until it closes, the trace runs: rows are
*virtual*, each the end of one text since then. Where a lexeme begins, a virtual row is the parser's row, the innermost open
container with the values in it so far, and the value that ended last; inside a lexeme it is one more byte.

Numbers of virtual rows are never given twice (but for those of texts that were only tried, see trace_mark), so a
configuration still says all that may follow. Nothing of a text stays behind when its outermost such container closes.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.values.json_values cimport Values

cdef enum:
    # flag of the number of a virtual row
    VIRTUAL = 0x80000000

    # kinds of checks, as bits
    CHECK_UNIQUE = 1    # no two items are equal
    CHECK_REPEATED = 2  # some two are
    CHECK_NEW_KEY = 4   # a key is none of those that its object has already

    # lists that are kept as sets at a time
    MEMBER_SETS = 4

cdef struct TraceState:
    uint32_t start   # the virtual row where the lexeme begins: this one, or it is inside of a lexeme
    uint32_t row     # the parser's row;            inside: the virtual row one byte earlier
    uint32_t frame   # the innermost open container;        the last byte
    uint32_t value   # what ended last, or BLANK

cdef struct TraceMark:
    size_t rows, frames, lists, values

cdef struct Members:
    uint32_t list  # whose values are marked
    Vec marks      # per value

cdef struct Trace:
    Vec rows       # VirtualRows
    Vec frames     # open containers, each with the values in it so far; see trace.pyx
    Vec lists      # (list of the values before, value, whether some two are equal); list 0 has no value
    Members members[MEMBER_SETS]  # the lists that were asked about last, as sets
    Values values
    Vec text       # scratch
    uint32_t tried      # where the texts go on that are tried, if inside of a long string
    uint32_t tried_in   # where that string begins, or NOWHERE
    bint text_dependent     # whether a check looked at values; for who wants to know
    size_t max_words

cdef int trace_init(Trace* t) noexcept nogil
cdef void trace_free(Trace* t) noexcept nogil
cdef int trace_clear(Trace* t) noexcept nogil
cdef size_t trace_bytes(const Trace* t) noexcept nogil

# To forget what was written since: for who tries texts and keeps none of their configurations.
cdef TraceMark trace_mark(const Trace* t) noexcept nogil
cdef void trace_release(Trace* t, const TraceMark* mark) noexcept nogil

# Until trace_settle: texts are tried that go on from a virtual row by fewer bytes than a long string has. If that is inside of
# one, it is not read again each time it ends. Returns a status.
cdef int trace_try(Trace* t, uint32_t virtual) noexcept nogil
cdef void trace_settle(Trace* t) noexcept nogil

# The trace begins: a checked container was opened by a bracket, and the parser is in `row`. Writes the virtual row.
cdef int trace_begin(Trace* t, uint32_t row, uint32_t bracket, uint32_t* virtual) noexcept nogil

# One more byte of text.
cdef int trace_append(Trace* t, uint32_t virtual, uint32_t byte, uint32_t* longer) noexcept nogil

# A lexeme ended, the parser is in `row` now: what it opened or closed. Writes a virtual row, or `row` where the trace ends.
# `opens` says whether it opened a checked container.
cdef int trace_end_lexeme(Trace* t, uint32_t virtual, uint32_t row, bint opens, uint32_t* target) noexcept nogil

# Which of some checks hold for the innermost container before the lexeme that a virtual row is in, as bits; or a status.
cdef int trace_holds(Trace* t, uint32_t virtual, uint32_t checks) noexcept nogil

# Whether the key that ends at a virtual row, or with a colon there, is not in its object yet: 1, 0 or a status.
cdef int trace_is_new_key(Trace* t, uint32_t virtual) noexcept nogil


cdef inline TraceState* trace_row(const Trace* t, uint32_t virtual) noexcept nogil:
    return <TraceState*>t.rows.data + (virtual & ~<uint32_t>VIRTUAL)


cdef inline const TraceState* trace_start(const Trace* t, uint32_t virtual) noexcept nogil:
    """The virtual row where the lexeme of a virtual row begins."""
    return trace_row(t, trace_row(t, virtual).start)
