"""The ids of drafted tokens, as an array that needs no GIL."""

from libc.stddef cimport size_t
from libc.stdint cimport uint32_t

cdef class Drafted:
    cdef uint32_t* tokens  # the ids of the drafted tokens; NO_TOKEN for an id that is not of the vocabulary
    cdef size_t count
