"""JSON values by number: equal values have equal numbers, however they are spelled.

Strings are equal after their escapes are replaced, numbers as exact decimals, arrays item by item, and objects whatever the order
of their keys, the last one counting where a key is repeated. So `1.0` and `10e-1` have one number, and so have `{"a":1,"b":2}`
and `{"b":2,"a":1}`.

A string or number is interned as (kind, count, its canonical text in words), an array or object as its kind and the numbers of
its parts.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.owner cimport Owner
from ffgrammar.core.vec cimport Vec

cdef enum:
    # instead of a value
    FRESH = 0xFFFFFFFD      # some value that has no number, so that no other one is equal to it
    BLANK = 0xFFFFFFFE      # no value
    MALFORMED = 0xFFFFFFFF  # something that is not a JSON value

    # bytes: a string whose canonical text has at least this many is a long one
    LONG_STRING = 256

cdef struct Values:
    Owner owner
    Intern tuples
    Vec strings     # the long strings
    Vec candidates  # those of them that begin as values_begins was told
    size_t begun    # bytes of that beginning
    Vec parts       # of the next container: items, or keys and values
    Vec bytes       # scratch: a canonical text
    Vec tuple       # scratch

# Returns OK or NO_MEMORY. values_free may be called whatever it was.
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

# Make the array or object that `bracket` closes of `parts`, which are in reverse order. Writes its number, or FRESH or MALFORMED
# where one of the parts is. Returns a status.
cdef int values_container(Values* v, uint8_t bracket, uint32_t* value) noexcept nogil

# Read the beginning of a string, with its opening quote, and note the strings that begin like it, for values_ends. Returns 1; 0
# if it is not long yet or ends inside an escape, and then nothing is noted; or a status.
cdef int values_begins(Values* v, const uint8_t* text, size_t count) noexcept nogil

# The number of the string that has the noted beginning and then these bytes, which contain no escape; FRESH if there is none.
cdef uint32_t values_ends(const Values* v, const uint8_t* text, size_t count) noexcept nogil
