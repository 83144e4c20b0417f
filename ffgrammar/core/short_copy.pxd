"""Copies of texts that are mostly short."""

from libc.stddef cimport size_t
from libc.stdint cimport uint8_t
from libc.string cimport memcpy

cdef enum:
    SHORT = 16  # bytes of a short text


cdef inline void copy_short(uint8_t* out, const uint8_t* text, size_t size, bint has_slack) noexcept nogil:
    """Copy `size` bytes. The SHORT bytes from `out` on may be overwritten. `has_slack` says whether SHORT bytes from `text` on can
    be read. (To copy 16 bytes takes less time than to find out how many there are.)"""
    if size <= SHORT and has_slack:
        memcpy(out, text, SHORT)
    else:
        memcpy(out, text, size)
