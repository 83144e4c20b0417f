"""JSON values by number: equal values have equal numbers, however they are spelled.

A value is interned as (kind, count, its canonical text in words) where it is a string or a number, else as its kind and
the numbers of its parts. Equal are: strings after their escapes; numbers as exact decimals; arrays part by part; objects
whatever the order of their keys, of which the last counts where one is repeated.
"""

from libc.stdint cimport uint8_t, uint32_t

from ffgrammar.core.intern cimport Intern
from ffgrammar.core.vec cimport Vec

cdef enum:
    # instead of a value
    FRESH = 0xFFFFFFFD      # one that is not known, and that no other value is equal to
    BLANK = 0xFFFFFFFE      # none
    MALFORMED = 0xFFFFFFFF  # what is not a JSON value

    # bytes of a canonical text from which on a string is a long one
    LONG_STRING = 256

cdef struct Values:
    Intern tuples
    Vec strings  # the long ones
    Vec candidates  # of these, those that begin as values_begins says
    size_t begun    # how many bytes that is
    Vec parts    # what the next container is made of: items, or keys and values
    Vec bytes    # scratch: a canonical text
    Vec tuple    # scratch

cdef int values_init(Values* v) noexcept nogil
cdef void values_free(Values* v) noexcept nogil
cdef int values_clear(Values* v) noexcept nogil
cdef size_t values_bytes(const Values* v) noexcept nogil

# Forget the values from `count` on.
cdef void values_truncate(Values* v, uint32_t count) noexcept nogil

# The string, number or literal that a text begins with: returns how many bytes it has, or a status.
cdef int values_scalar(Values* v, const uint8_t* text, size_t count, uint32_t* value) noexcept nogil

# The array or object, by its closing bracket, of `parts`, which come last one first.
cdef int values_container(Values* v, uint8_t bracket, uint32_t* value) noexcept nogil

# A text is the beginning of a string, with its quote: note which strings begin so. Returns 0 if it is not long, or ends inside
# of an escape: then nothing was noted; 1, or a status.
cdef int values_begins(Values* v, const uint8_t* text, size_t count) noexcept nogil

# The string with that beginning and these bytes, without escapes, after it; or FRESH.
cdef uint32_t values_ends(const Values* v, const uint8_t* text, size_t count) noexcept nogil
