"""The trace: what a check needs to know of the text.

A row of the parser does not remember the text, but some checks are about the text (`ir.GrammarIR.checks`). Some arrays may
close, or go on, only if their items are all different. Others may do so only if two of their items are equal. Some objects must
not repeat a key. So the trace runs from the bracket that opens such a checked container until that container closes. Meanwhile
rows are *virtual*: a virtual row stands for one text since that bracket. Where a lexeme begins, a virtual row is three things:
the parser's row, the innermost open container with the values in it so far, and the value that ended last. Inside a lexeme, a
virtual row is two things: the virtual row one byte earlier, and the byte that came after it.

Until the caches are dropped, no two virtual rows get the same number, except those of texts that were only tried (see
trace_mark). So a configuration still decides everything that may follow. When the outermost checked container closes, the row
is the parser's again, and nothing of the text is remembered.

A grammar without checks does not use the trace.
"""

from libc.stdint cimport uint32_t, uint64_t

from ffgrammar.core.intern cimport intern_count
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec
from ffgrammar.engine.values.json_values cimport Values

cdef enum:
    # flag of the number of a virtual row
    VIRTUAL = 0x80000000

    # kinds of checks, as bits
    CHECK_UNIQUE = 1    # no two items are equal
    CHECK_REPEATED = 2  # some two items are equal
    CHECK_NEW_KEY = 4   # a key is not in its object yet

    # how many lists of values are kept as sets at a time
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
    uint32_t list  # the list whose values are marked
    Vec marks      # per value: whether it is on that list

cdef struct Trace:
    Owner owner
    Vec rows       # TraceStates
    Vec frames     # open containers, each with the values in it so far; see trace.pyx
    Vec lists      # (list of the values before, value, whether some two are equal); list 0 has no value
    Members members[MEMBER_SETS]  # the lists that were looked at last, as sets
    Values values
    Vec text       # scratch
    uint32_t tried      # the virtual row from which texts are tried, if this row is inside a long string
    uint32_t tried_in   # the virtual row where that string begins, or NOWHERE
    uint32_t fresh_in   # the virtual row where the lexeme begins whose string counts as unlike all others, or NOWHERE
    size_t max_words    # of all tables together
    uint64_t bytes_read  # how many bytes of text were ever read back

# Returns OK or NO_MEMORY. trace_free may be called after either.
cdef int trace_init(Trace* t) noexcept nogil
cdef void trace_free(Trace* t) noexcept nogil

# Forget all virtual rows and values. Returns OK or NO_MEMORY.
cdef int trace_clear(Trace* t) noexcept nogil

# Bytes of all tables.
cdef size_t trace_bytes(const Trace* t) noexcept nogil

# Return a mark of how much has been written so far. Call it before texts are tried.
cdef inline TraceMark trace_mark(const Trace* t) noexcept nogil:
    return TraceMark(t.rows.len, t.frames.len, t.lists.len, intern_count(&t.values.tuples))

# Forget what was written since a mark. No configuration of the tried texts may be used after this.
cdef inline void trace_release(Trace* t, const TraceMark* mark) noexcept nogil:
    if (t.rows.len != mark.rows or t.frames.len != mark.frames or t.lists.len != mark.lists
            or intern_count(&t.values.tuples) != mark.values):
        trace_forget(t, mark)

# trace_release, if something was written.
cdef void trace_forget(Trace* t, const TraceMark* mark) noexcept nogil

# Announce that texts are tried until trace_settle. Each of them goes on from the virtual row `virtual`, by at most `longest`
# bytes. If this row is inside a long string (json_values.pxd), and `longest` is less than LONG_STRING, the string is then read
# once, and not again each time a tried text ends it. Returns a status.
cdef int trace_try(Trace* t, uint32_t virtual, uint32_t longest) noexcept nogil

# End what trace_try has begun. From now on strings are read as a whole again.
cdef void trace_settle(Trace* t) noexcept nogil

# Begin the trace: `bracket` has opened a checked container, and the parser is in `row` now. Writes the virtual row. Returns a
# status.
cdef int trace_begin(Trace* t, uint32_t row, uint32_t bracket, uint32_t* virtual) noexcept nogil

# Add a byte of text to a virtual row. Writes the virtual row after this byte. Returns a status.
cdef int trace_append(Trace* t, uint32_t virtual, uint32_t byte, uint32_t* longer) noexcept nogil

# End the lexeme that a virtual row is in, now that the parser is in `row`: read the values that the lexeme has, and the
# containers that it opens or closes. `opens` says whether it opens a checked container. Writes the virtual row after the
# lexeme, or `row` if the trace ends with it. Returns OK; 1 if the lexeme has a string that may not end now (see trace_begin_fresh);
# or a status.
cdef int trace_end_lexeme(Trace* t, uint32_t virtual, uint32_t row, bint opens, uint32_t* target) noexcept nogil

# Which of some checks (CHECK_UNIQUE, CHECK_REPEATED) hold for a container: the innermost one that is open where the lexeme of
# a virtual row begins. Returns the checks that hold, as bits, or a status. The answer depends on the text.
cdef int trace_holds(Trace* t, uint32_t virtual, uint32_t checks) noexcept nogil

# The lexeme of a virtual row is a key, perhaps with the colon after it. Whether this key is not in its object yet: returns 1, 0
# or a status. The answer depends on the text.
cdef int trace_is_new_key(Trace* t, uint32_t virtual) noexcept nogil

# Append to `found` the numbers of all strings that begin like the one that a virtual row is inside, and write to `begun` how many
# bytes of their canonical text this one has. All strings that the trace knows count. Returns 1; 0 if the row is not inside a
# string, or if the string so far is no beginning that values_alike takes; or a status.
cdef int trace_alike(Trace* t, uint32_t virtual, Vec* found, size_t* begun) noexcept nogil

# Until trace_end_fresh, take the string that a virtual row is inside for unlike all others, however it goes on. No other string may
# end meanwhile, because it may be equal to this one. Returns 1; 0 as trace_alike does; or a status.
cdef int trace_begin_fresh(Trace* t, uint32_t virtual) noexcept nogil
cdef void trace_end_fresh(Trace* t) noexcept nogil


cdef inline TraceState* trace_row(const Trace* t, uint32_t virtual) noexcept nogil:
    """The entry of a virtual row. The pointer is good until the next row is added."""
    return <TraceState*>t.rows.data + (virtual & ~<uint32_t>VIRTUAL)


cdef inline const TraceState* trace_start(const Trace* t, uint32_t virtual) noexcept nogil:
    """The entry of the row where the lexeme of a virtual row begins. The pointer is good until the next row is added."""
    return trace_row(t, trace_row(t, virtual).start)
