"""The trace: what a check needs to know of the text.

A row of the parser does not remember the text, but some checks are about it. Some arrays may close, or go on, only if their items
are all different, or if two of them are equal; some objects must not repeat a key (`ir.GrammarIR.checks`). So the trace runs from
the bracket that opens such a container until that container closes, and all the while rows are *virtual*: each is the end of one
text since the bracket. Where a lexeme begins, a virtual row is the parser's row, the innermost open container with the values in
it so far, and the value that ended last. Inside a lexeme it is one more byte.

The number of a virtual row is never given twice (but for those of texts that were only tried, see trace_mark). So a
configuration still decides everything that may follow. When the outermost checked container closes, the row is the parser's
again, and nothing of the text stays behind.

A grammar without checks never comes here.
"""

from libc.stdint cimport uint32_t

from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.values.json_values cimport Values

cdef enum:
    # flag of the number of a virtual row
    VIRTUAL = 0x80000000

    # kinds of checks, as bits
    CHECK_UNIQUE = 1    # no two items are equal
    CHECK_REPEATED = 2  # some two items are equal
    CHECK_NEW_KEY = 4   # a key is none of those that its object has already

    # how many lists are kept as sets at a time
    MEMBER_SETS = 4

cdef struct TraceState:
    # A virtual row where a lexeme begins    | inside a lexeme
    uint32_t start   # itself                | the virtual row where the lexeme begins
    uint32_t row     # the parser's row      | the virtual row one byte earlier
    uint32_t frame   # the innermost open container | the last byte
    uint32_t value   # what ended last, or BLANK    | BLANK

cdef struct TraceMark:
    size_t rows, frames, lists, values

cdef struct Members:
    uint32_t list  # whose values are marked
    Vec marks      # per value: whether it is on that list

cdef struct Trace:
    Owner owner
    Vec rows       # TraceStates
    Vec frames     # open containers, each with the values in it so far; see trace.pyx
    Vec lists      # (list of the values before, value, whether some two are equal); list 0 has no value
    Members members[MEMBER_SETS]  # the lists that were looked at last, as sets
    Values values
    Vec text       # scratch
    uint32_t tried      # the virtual row that tried texts go on from, if that is inside a long string
    uint32_t tried_in   # the virtual row where that string begins, or NOWHERE
    size_t max_words

# Returns OK or NO_MEMORY. trace_free may be called whatever it was.
cdef int trace_init(Trace* t) noexcept nogil
cdef void trace_free(Trace* t) noexcept nogil

# Forget all virtual rows and values. Returns OK or NO_MEMORY.
cdef int trace_clear(Trace* t) noexcept nogil

# Bytes of all tables.
cdef size_t trace_bytes(const Trace* t) noexcept nogil

# Note how much has been written, before texts are tried.
cdef TraceMark trace_mark(const Trace* t) noexcept nogil

# Forget what was written since a mark. No configuration of the tried texts may be used after this.
cdef void trace_release(Trace* t, const TraceMark* mark) noexcept nogil

# Announce that all texts from here until trace_settle go on from one virtual row, by fewer bytes than a long string has. If that
# row is inside a long string, the string is then read once, not each time it ends. Returns a status.
cdef int trace_try(Trace* t, uint32_t virtual) noexcept nogil

# End what trace_try has begun.
cdef void trace_settle(Trace* t) noexcept nogil

# Begin the trace: `bracket` has opened a checked container, and the parser is in `row` now. Writes the virtual row; returns a
# status.
cdef int trace_begin(Trace* t, uint32_t row, uint32_t bracket, uint32_t* virtual) noexcept nogil

# Add a byte of text to a virtual row. Writes the virtual row after it; returns a status.
cdef int trace_append(Trace* t, uint32_t virtual, uint32_t byte, uint32_t* longer) noexcept nogil

# End the lexeme that a virtual row is in: read what it opened or closed, now that the parser is in `row`. `opens` says whether
# it opened a checked container. Writes the virtual row after it, or `row` where the trace ends; returns a status.
cdef int trace_end_lexeme(Trace* t, uint32_t virtual, uint32_t row, bint opens, uint32_t* target) noexcept nogil

# Which of some checks (CHECK_UNIQUE, CHECK_REPEATED) hold for the innermost container before the lexeme that a virtual row is
# in. Returns them as bits, or a status. The answer depends on the text.
cdef int trace_holds(Trace* t, uint32_t virtual, uint32_t checks) noexcept nogil

# Whether the key that ends at a virtual row, or with a colon there, is not in its object yet. Returns 1, 0 or a status. The
# answer depends on the text.
cdef int trace_is_new_key(Trace* t, uint32_t virtual) noexcept nogil


cdef inline TraceState* trace_row(const Trace* t, uint32_t virtual) noexcept nogil:
    """What a virtual row is. The pointer is good until the next row is added."""
    return <TraceState*>t.rows.data + (virtual & ~<uint32_t>VIRTUAL)


cdef inline const TraceState* trace_start(const Trace* t, uint32_t virtual) noexcept nogil:
    """The same of the virtual row where the lexeme of a virtual row begins."""
    return trace_row(t, trace_row(t, virtual).start)
