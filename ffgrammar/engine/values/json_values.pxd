"""JSON values by number: equal values have equal numbers, however they are spelled.

Strings are compared after their escapes are replaced, numbers as exact decimals, and arrays item by item. Objects are compared
without regard to the order of their keys. Of a repeated key, the last value counts. So `1.0` and `10e-1` have the same number,
and so have `{"a":1,"b":2}` and `{"b":2,"a":1}`.

A string, number or literal is interned as (kind, how many bytes its canonical text has, this text
packed into words). An array or object is interned as its kind and the numbers of its parts.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec

cdef enum:
    # instead of a value
    FRESH = 0xFFFFFFFD      # a value without a number, which counts as different from all others
    BLANK = 0xFFFFFFFE      # no value
    MALFORMED = 0xFFFFFFFF  # something that is not a JSON value

    # a string whose canonical text has at least this many bytes is a long one
    LONG_STRING = 256

cdef struct Values:
    Owner owner
    Intern tuples
    Vec strings     # the long strings
    Vec candidates  # the long strings that begin like the text that values_begins has read
    size_t begun    # how many bytes the canonical text of that beginning has
    Vec parts       # of the next container: items, or keys and values
    Vec bytes       # scratch: a canonical text
    Vec tuple       # scratch

# Returns OK or NO_MEMORY. values_free may be called in either case.
cdef int values_init(Values* v) noexcept nogil
cdef void values_free(Values* v) noexcept nogil

# Forget all values. Returns OK or NO_MEMORY.
cdef int values_clear(Values* v) noexcept nogil

# Bytes of all tables.
cdef size_t values_bytes(const Values* v) noexcept nogil

# Forget the values whose numbers are `count` or more.
cdef void values_truncate(Values* v, uint32_t count) noexcept nogil

# Read the string, number or literal that a text of at least one byte begins with. Writes its number, or MALFORMED. Returns how
# many bytes were read, or a status.
cdef int values_scalar(Values* v, const uint8_t* text, size_t count, uint32_t* value) noexcept nogil

# Make an array or object of `parts`, which are in reverse order; `bracket` is the bracket or brace
# that closes it. Writes its number if all parts have numbers. Otherwise the first entry of `parts`
# without a number decides: for FRESH it writes FRESH, for anything else MALFORMED. It also writes
# MALFORMED if a key has no value. Returns a status.
cdef int values_container(Values* v, uint8_t bracket, uint32_t* value) noexcept nogil

# Read the beginning of a string, with its opening quote, and note for values_ends which long strings begin like it. Returns 1,
# 0 or a status. If it returns 0, nothing is noted for values_ends: the beginning is not long yet, or it ends inside an escape
# or between the two halves of a surrogate pair, or the string has ended already.
cdef int values_begins(Values* v, const uint8_t* text, size_t count) noexcept nogil

# The number of the string that consists of the noted beginning and these bytes, which contain no escape. FRESH if there is no
# such string.
cdef uint32_t values_ends(const Values* v, const uint8_t* text, size_t count) noexcept nogil

# Read the beginning of a string, with its opening quote, and append to `found` the numbers of all strings that begin like it.
# Writes to `begun` how many bytes the canonical text of this beginning has. Returns 1; 0 if the beginning ends inside an escape or
# between the two halves of a surrogate pair, or if the string has ended already; or a status.
cdef int values_alike(Values* v, const uint8_t* text, size_t count, Vec* found, size_t* begun) noexcept nogil

# Whether a text is the beginning of a string, as values_alike takes one. Returns 1, 0 or a status.
cdef int values_is_beginning(Values* v, const uint8_t* text, size_t count) noexcept nogil

# The canonical text of a string. Writes how many bytes it has.
cdef const uint8_t* values_string(const Values* v, uint32_t value, size_t* count) noexcept nogil
