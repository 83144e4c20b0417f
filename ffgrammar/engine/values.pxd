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
    BLANK = 0xFFFFFFFE      # nothing but whitespace
    MALFORMED = 0xFFFFFFFF  # what is not a JSON value

cdef struct Values:
    Intern tuples
    Vec parts   # scratch: values of which the containers are not closed yet
    Vec open    # scratch: (kind, where in `parts` it begins) of these containers
    Vec bytes   # scratch: a canonical text
    Vec tuple   # scratch

cdef int values_init(Values* v) noexcept nogil
cdef void values_free(Values* v) noexcept nogil
cdef int values_clear(Values* v) noexcept nogil
cdef size_t values_bytes(const Values* v) noexcept nogil

# The value that a text spells, or BLANK or MALFORMED; returns a status. Commas and colons are taken for granted: the
# grammar has seen to them.
cdef int values_read(Values* v, const uint8_t* text, size_t count, uint32_t* value) noexcept nogil
